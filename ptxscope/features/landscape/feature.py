"""Pictures for slides: their steps run from left to right, on 1280 by 720 px."""

from ...feature import Feature, PictureLayout

FEATURE = Feature(
    "landscape",
    layouts=(
        PictureLayout(
            "wide",
            f"{__package__}.wide_page:draw",
            "wide picture",
            "steps from left to right, for a slide",
        ),
    ),
)
