# cloze-gen with KenLM's lmplz: docker build -t cloze-gen . (docs/how-to/judging.md)

FROM python:3.13-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends g++ make cmake libboost-program-options-dev libboost-thread-dev \
      zlib1g-dev libbz2-dev liblzma-dev
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PATH=/opt/venv/bin:$PATH
WORKDIR /build
COPY requirements.lock ./
# All locked files by their hashes; the package then takes those that it needs, and no other.
RUN python -m venv /opt/venv \
 && pip download --require-hashes --only-binary :all: -r requirements.lock --dest wheels \
 && pip install --no-index --find-links wheels setuptools
COPY pyproject.toml setup.py README.md LICENSE ./
COPY src src
COPY pipelines pipelines
COPY configs configs
COPY corpora corpora
RUN pip install --no-index --find-links wheels --no-build-isolation ".[judge,ask]" \
 && python -m cloze_gen.adapters.kenlm_build \
 && find /opt/venv -type d \( -name tests -o -path '*/pyarrow/include' \) -prune -exec rm -rf {} + \
 && mkdir /opt/lib \
 && ldd /opt/venv/bin/lmplz | awk '/boost|libz|libbz2|liblzma/ { print $3 }' | xargs -I {} cp -L {} /opt/lib/

FROM python:3.13-slim
COPY --from=build /opt/venv /opt/venv
COPY --from=build /opt/lib /usr/local/lib
RUN ldconfig && useradd --uid 10001 --create-home cloze && install -d -o cloze /srv/cloze
ENV PATH=/opt/venv/bin:$PATH
USER cloze
WORKDIR /srv/cloze
RUN cloze-gen doctor
ENTRYPOINT ["cloze-gen"]
CMD ["--help"]
