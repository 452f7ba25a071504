"""Amazon S3: buckets, their settings, objects with versions, multipart uploads; bodies are files below the state folder."""
