"""The judges' pages (Starlette, uvicorn; the extra `judge`)."""
