"""Train a small causal transformer on sentences and save it as a Hub folder, for `hf:FOLDER`.

    pip install 'cloze-gen[hf]'
    python training/transformer/train.py artifacts/runs/NAME/07-text/sentences.txt --out MODEL
    python training/transformer/train.py RELEASE/FILE --start MODEL --out OTHER --minutes 4

A text has one sentence a line; the stage `text` of a run writes such a file. The last lines of each
text are held out. Training takes the given minutes, and the learning rate falls to zero at their
end, so that the result depends on the machine. Prints tokens per second and the perplexity per word
(space-separated) of the held-out lines, each scored alone. With `--start` a model is trained further
on whole texts, as a crawler finds them: no line is held out.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

BOUNDARY = "<s>"
TOKENIZER_LINES = 200_000
LINES_AT_ONCE = 10_000
HEAD_WIDTH = 64
WARM_UP = 0.02  # share of the time
REPORT_S = 60.0


def train_tokenizer(lines: Sequence[str], vocabulary: int, context: int) -> PreTrainedTokenizerFast:
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    bpe.train_from_iterator(
        lines,
        trainers.BpeTrainer(
            vocab_size=vocabulary,
            special_tokens=[BOUNDARY],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        bos_token=BOUNDARY,
        eos_token=BOUNDARY,
        pad_token=BOUNDARY,
        model_max_length=context,
    )


def stream_of(tokenizer: PreTrainedTokenizerFast, lines: Sequence[str]) -> torch.Tensor:
    """Ids of all lines, each after a boundary."""
    begin, parts = tokenizer.bos_token_id, []
    for first in range(0, len(lines), LINES_AT_ONCE):
        some = lines[first : first + LINES_AT_ONCE]
        encoded = tokenizer(some, add_special_tokens=False, verbose=False)["input_ids"]
        ids = [id_ for line in encoded for id_ in (begin, *line)]
        parts.append(torch.tensor(ids, dtype=torch.int32))
    return torch.cat(parts)


def train(
    model: GPT2LMHeadModel,
    stream: torch.Tensor,
    *,
    minutes: float,
    batch: int,
    context: int,
    peak_rate: float,
) -> None:
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=peak_rate, betas=(0.9, 0.95), weight_decay=0.05, fused=True
    )
    began = reported = time.monotonic()
    seen, losses = 0, []
    model.train()
    while (share := (time.monotonic() - began) / (60 * minutes)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = peak_rate * min(share / WARM_UP, (1 - share) / (1 - WARM_UP))
        starts = torch.randint(len(stream) - context, (batch, 1))
        ids = stream[starts + torch.arange(context)].long()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        seen += ids.numel()
        losses.append(loss.item())
        now = time.monotonic()
        if now - reported > REPORT_S:
            mean = sum(losses) / len(losses)
            print(
                f"{(now - began) / 60:6.1f} min  {seen:,} tokens  {seen / (now - began):,.0f}/s  "
                f"loss {mean:.3f}",
                flush=True,
            )
            reported, losses = now, []
    seconds = time.monotonic() - began
    print(f"trained on {seen:,} tokens, {seen / seconds:,.0f} tokens/s")


def perplexity_per_word(
    model: GPT2LMHeadModel, tokenizer: PreTrainedTokenizerFast, lines: Sequence[str], context: int
) -> float:
    """Of lines that fit the context, each scored alone, its end not predicted."""
    model.eval()
    nats, words = 0.0, 0
    with torch.inference_mode():
        for line in lines:
            encoded = tokenizer(line, add_special_tokens=False, verbose=False)["input_ids"]
            ids = [tokenizer.bos_token_id, *encoded]
            if 1 < len(ids) <= context:
                row = torch.tensor([ids])
                nats += float(model(input_ids=row, labels=row).loss) * (len(ids) - 1)
                words += len(line.split())
    return math.exp(nats / words)


def new_model(tokenizer: PreTrainedTokenizerFast, args: argparse.Namespace) -> GPT2LMHeadModel:
    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=args.context,
        n_embd=args.width,
        n_layer=args.layers,
        n_head=max(1, args.width // HEAD_WIDTH),
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return GPT2LMHeadModel(config)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="a model of this program")
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--context", type=int, default=128)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--held-out", type=int, default=1000, help="last lines of each text")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    held_out: list[str] = []
    if args.start:
        tokenizer = PreTrainedTokenizerFast.from_pretrained(args.start)
        model = GPT2LMHeadModel.from_pretrained(args.start)
        args.context = model.config.n_positions
        stream = stream_of(tokenizer, [path.read_text(encoding="utf-8") for path in args.text])
    else:
        lines: list[str] = []
        for path in args.text:
            own = path.read_text(encoding="utf-8").splitlines()
            if len(own) <= args.held_out:
                raise SystemExit(f"{path}: {len(own):,} lines, fewer than --held-out leaves.")
            lines += own[: -args.held_out]
            held_out += own[-args.held_out :]
        sample = random.Random(args.seed).sample(lines, min(len(lines), TOKENIZER_LINES))
        tokenizer = train_tokenizer(sample, args.vocabulary, args.context)
        model = new_model(tokenizer, args)
        stream = stream_of(tokenizer, lines)
    print(f"{model.num_parameters():,} parameters, a text of {len(stream):,} tokens", flush=True)
    train(
        model,
        stream,
        minutes=args.minutes,
        batch=args.batch,
        context=args.context,
        peak_rate=args.rate,
    )
    model.save_pretrained(args.out)
    tokenizer.save_pretrained(args.out)
    if held_out:
        found = perplexity_per_word(model, tokenizer, held_out, args.context)
        print(f"held-out perplexity per word: {found:.1f}")


if __name__ == "__main__":
    main()
