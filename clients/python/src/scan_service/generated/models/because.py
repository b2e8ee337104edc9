from enum import StrEnum
from typing import Self


class Because(StrEnum):
    DIFFERENT_CAMERAS = "different_cameras"
    DIFFERENT_MODELS = "different_models"
    NOT_LOOKED_FOR = "not_looked_for"
    NOT_SEEN_AGAIN = "not_seen_again"
    NOT_SEEN_BEFORE = "not_seen_before"

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
