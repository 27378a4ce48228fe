"""What a call may cost: its input, and an answer that can be made shorter to fit what is left."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class PriceQuote:
    """In micros and output tokens. Between no answer and the longest one the price is linear."""

    input: int  # without a single token of output
    whole: int  # with the longest answer
    least: int = 0  # an answer shorter than this is of no use
    most: int = 0

    @staticmethod
    def fixed(micros: int) -> "PriceQuote":
        """A quote with a single price, such as for a transcription."""
        return PriceQuote(input=micros, whole=micros)

    def price(self, tokens: int) -> int:
        """The price with an answer of at most so many tokens; never less than the vendor will charge."""
        if not self.most:
            return self.whole
        return self.input - (-(self.whole - self.input) * tokens // self.most)

    def tokens_for(self, micros: int) -> int:
        """The longest answer that this pays for; below 0 if it does not even pay for the input."""
        if micros >= self.whole:
            return self.most
        if micros < self.input:
            return -1
        return (micros - self.input) * self.most // (self.whole - self.input)
