from enum import StrEnum
from typing import Self


class FailureCode(StrEnum):
    CANCELLED_BY_OPERATOR = "CANCELLED_BY_OPERATOR"
    FORCED_FAILURE = "FORCED_FAILURE"
    MEDIA_DIMENSIONS_TOO_LARGE = "MEDIA_DIMENSIONS_TOO_LARGE"
    MEDIA_MISSING = "MEDIA_MISSING"
    MEDIA_NOT_SELF_CONTAINED = "MEDIA_NOT_SELF_CONTAINED"
    MEDIA_TOO_COSTLY = "MEDIA_TOO_COSTLY"
    MEDIA_TOO_LONG = "MEDIA_TOO_LONG"
    MEDIA_UNREADABLE = "MEDIA_UNREADABLE"
    NO_USABLE_FRAMES = "NO_USABLE_FRAMES"
    NO_VIDEO_STREAM = "NO_VIDEO_STREAM"
    PIPELINE_ERROR = "PIPELINE_ERROR"

    def __str__(self) -> str:
        return str(self.value)

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        """Accepts values that a newer service has added, so that older clients keep working."""
        if not isinstance(value, str):
            return None
        member = str.__new__(cls, value)
        member._name_ = value.upper()
        member._value_ = value
        return member
