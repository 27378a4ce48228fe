# What a developer types. `just` alone checks everything; `./nanoclaw test` does the same on a machine that has nothing.

set positional-arguments

bin := justfile_directory() / ".venv/bin"

# Lint, types, layers, then every test: four at once, since they often wait, on both cores of a small machine
check *args: _looked_at
    {{bin}}/python -m pytest -n 4 --dist worksteal "$@"

# Style, types and the direction of imports; then the scripts of the page
[parallel]
lint: _style _types _page

[parallel]
_looked_at: lint _compiled

_style:
    {{bin}}/ruff check .
    {{bin}}/ruff format --check .
    {{bin}}/lint-imports

_types:
    {{bin}}/mypy -n 2

_page:
    tools/page/check

# Once, while mypy has the other core: else each of the four compiles every test. What is wrong with them, they will say.
_compiled:
    -@env -u PYTHONDONTWRITEBYTECODE {{bin}}/python -m pytest --collect-only -qq >/dev/null 2>&1

# Mend what can be mended by a machine
fix:
    {{bin}}/ruff check --fix .
    {{bin}}/ruff format .

# Only the tests
test *args:
    {{bin}}/python -m pytest "$@"

# Look for new examples of what is said of all: the suite takes the same few every time
search *args:
    {{bin}}/python -m pytest tests/unit -m hypothesis -n 2 --hypothesis-profile search "$@"

# Try to lose, double or reorder messages: `just chaos three --seed 5`
chaos *args:
    {{bin}}/python -m tests.chaos "$@"

# Attack the host on this machine, over every kind of box: `just attack -k podman`
attack *args:
    {{bin}}/python -m pytest -m attack -n 2 --dist worksteal -q -p tests.attack_report "$@"

# Write docs/capabilities.md and docs/reference/ anew from the code
docs:
    {{bin}}/python -m tests.docs.generate

# Figures as ratios to a bare loop on this machine
bench *args:
    {{bin}}/python benchmarks/host.py "$@"

# The same for Telegram, beside a bare echo bot
bench-bots *args:
    {{bin}}/python -m benchmarks.bots "$@"

# What it costs to decide who may speak
bench-door *args:
    {{bin}}/python benchmarks/door.py "$@"

# What questions to people cost: open ones, a press, many decisions
bench-questions *args:
    {{bin}}/python -m benchmarks.questions "$@"

# What plans cost: a press until the next question, and open ones
bench-plans *args:
    {{bin}}/python -m benchmarks.plans "$@"

# what tasks cost: stored, due one after the other, due all at once
bench-tasks *args:
    {{bin}}/python -m benchmarks.tasks "$@"

# What pipelines cost: from one step to the next, many runs at once, many runs before
bench-pipelines *args:
    {{bin}}/python -m benchmarks.pipelines "$@"

# What batches cost: ten thousand prompts and results, their memory, and whether people notice
bench-batches *args:
    {{bin}}/python -m benchmarks.batches "$@"

# What taking a session elsewhere costs: a long one with many files
bench-transfers *args:
    {{bin}}/python -m benchmarks.transfers "$@"

# What taking a result in costs that comes back from elsewhere
bench-analyses *args:
    {{bin}}/python -m benchmarks.analyses "$@"

# What a company's memory costs and finds: a million facts, labelled questions; `--quick`: fewer facts
bench-memory *args:
    {{bin}}/python -m benchmarks.memory "$@"

# What reports of costs cost: a million calls in the ledger, by anything
bench-costs *args:
    {{bin}}/python -m benchmarks.costs "$@"

# The same for real agents: gateway, native, claude-code
bench-agents *args:
    {{bin}}/python benchmarks/agents.py "$@"

# What a budget costs a model call: alone, after a busy month, two hundred at once
bench-money *args:
    {{bin}}/python -m benchmarks.money "$@"

# Pin the packages anew (needs uv)
lock:
    uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate pyproject.toml -o requirements/base.txt
    uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate --extra postgres -c requirements/base.txt pyproject.toml -o requirements/postgres.txt
    uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate --extra claude -c requirements/base.txt pyproject.toml -o requirements/claude.txt
    uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate --extra native -c requirements/base.txt pyproject.toml -o requirements/native.txt
    uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate --extra whisper -c requirements/base.txt pyproject.toml -o requirements/whisper.txt
    uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate --extra backup -c requirements/base.txt pyproject.toml -o requirements/backup.txt
    uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate --extra postgres --extra claude --extra native --extra backup --group dev -c requirements/base.txt pyproject.toml -o requirements/dev.txt
