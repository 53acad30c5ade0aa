"""How far a judge can be trusted: what a calibration says about these models with this prompt."""

from dataclasses import dataclass
from typing import Final

NEVER: Final = "it was not measured against people (see 'assay judge calibrate')"


@dataclass(frozen=True, slots=True)
class Trust:
    """A calibration that was made before: of which models, with which prompt, and what it lacks."""

    models: tuple[str, ...] = ()
    prompt_sha256: str | None = None
    unmet: tuple[str, ...] = (NEVER,)

    def doubts(self, models: list[str], prompt_sha256: str) -> list[str]:
        """Why these models with this prompt are uncalibrated. Empty if they are calibrated."""
        if self.prompt_sha256 is None:
            return [NEVER]
        doubts = list(self.unmet)
        if sorted(models) != sorted(self.models):
            doubts.append(f"the calibration is of {', '.join(self.models)}")
        if prompt_sha256 != self.prompt_sha256:
            doubts.append("the calibration is of another prompt")
        return doubts


UNKNOWN: Final = Trust()
