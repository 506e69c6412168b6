"""Pictures as PNG and PDF, frames; figures of forms."""
