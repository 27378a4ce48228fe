"""What a call may cost: its input, and an answer that can be made shorter to fit what is left."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """In micros and tokens of output. Between nothing and the longest answer the price is a straight line."""

    input: int  # without a single token of output
    whole: int  # with the longest answer
    least: int = 0  # an answer shorter than this is of no use
    most: int = 0

    @staticmethod
    def fixed(micros: int) -> "Quote":
        """For what has one price, such as a transcription."""
        return Quote(input=micros, whole=micros)

    def price(self, tokens: int) -> int:
        """With an answer of at most so many tokens; never less than the vendor will ask for."""
        if not self.most:
            return self.whole
        return self.input - (-(self.whole - self.input) * tokens // self.most)

    def tokens_for(self, micros: int) -> int:
        """The longest answer that this pays for; below 0 when it does not even pay for the input."""
        if micros >= self.whole:
            return self.most
        if micros < self.input:
            return -1
        return (micros - self.input) * self.most // (self.whole - self.input)
