# The image of the Docker and Kubernetes variants in prefect.yaml:  docker build -t sparring:latest .
# Weights are not in it: mount them and name them with SPARRING_WEIGHTS, or give --engine a URL.
FROM python:3.11-slim
RUN useradd --create-home --uid 1000 sparring && mkdir /app && chown sparring /app
WORKDIR /app
COPY pyproject.toml constraints.txt README.md ./
COPY flows flows
COPY generator generator
COPY solver solver
COPY verifiers verifiers
COPY policies policies
COPY data data
RUN pip install --no-cache-dir --constraint constraints.txt --editable '.[s3]'
# The default store, for those who mount none.
RUN mkdir -p data/sets && chown sparring data data/sets
USER sparring
ENV DO_NOT_TRACK=1 PREFECT_SERVER_ANALYTICS_ENABLED=false
CMD ["sparring", "--help"]
