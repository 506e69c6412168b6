"""Pictures as PNG and PDF, frames and slides; figures of forms."""
