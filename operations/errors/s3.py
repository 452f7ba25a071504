"""S3. Its model names few errors: the rest as in AWS's "Error responses" of the S3 API reference."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

R, X = Category.RECOVERABLE, Category.TERMINAL

ENTRIES: tuple[Entry, ...] = (
    Entry("BucketAlreadyOwnedByYou", R, "The bucket exists already and is yours; looking again."),
    Entry("BucketAlreadyExists", X, "The bucket's name is taken by another account.", "Choose another name."),
    Entry("BucketNotEmpty", R, "The bucket still has objects.", "Empty it, old versions and uploads included; it goes on then."),
    Entry("OperationAborted", R, "Another change of the bucket is under way."),
    Entry("NoSuchBucket", R, "The bucket is not there (yet)."),
    Entry("NoSuchKey", R, "The object is not there (yet)."),
    Entry("NoSuchUpload", R, "The upload is not there any more."),
    Entry("NoSuchBucketPolicy", R, "The bucket has no policy (yet)."),
    Entry("NoSuchTagSet", R, "The bucket has no tags (yet)."),
    Entry("NoSuchPublicAccessBlockConfiguration", R, "The bucket has no public access block (yet)."),
    Entry("ServerSideEncryptionConfigurationNotFoundError", R, "The bucket has no encryption configuration (yet)."),
    Entry("404", R, "The bucket or object is not there (yet)."),
    Entry("PreconditionFailed", R, "The object has changed meanwhile."),
    Entry("ConditionalRequestConflict", R, "The object is being changed by another request."),
    Entry("IncompleteBody", R, "The upload broke off."),
    Entry("BadDigest", R, "The upload arrived damaged."),
    Entry("InvalidBucketName", X, "The name is not allowed for a bucket.", "Choose 3 to 63 lower-case letters, digits and hyphens."),
    Entry("TooManyBuckets", X, "The account has as many buckets as it may.", "Delete one, or ask for a higher quota."),
    Entry("MalformedPolicy", R, "The policy names a principal that S3 does not know yet.", pattern=r"(?i)invalid principal"),
    Entry("MalformedPolicy", X, "The bucket policy is malformed.", "Report it with the operation's id."),
    Entry("PermanentRedirect", X, "The bucket is in another region.", "Choose the region of the bucket."),
    Entry("AuthorizationHeaderMalformed", X, "The bucket is in another region.", "Choose the region of the bucket."),
    Entry("IllegalLocationConstraintException", X, "The bucket can't be made in this region from here.", "Check the region."),
    Entry("EntityTooLarge", X, "The object is too large."),
    Entry("EntityTooSmall", X, "A part of the upload is too small."),
    Entry("InvalidArgument", X, "S3 rejects an argument.", "Correct what the message names."),
    Entry("MalformedXML", X, "S3 can't read the request.", "Report it with the operation's id."),
    Entry("MethodNotAllowed", X, "S3 does not allow this on the object.", "It may be a delete marker."),
    Entry("InvalidObjectState", X, "The object is archived.", "Restore it first."),
    Entry("InvalidWriteOffset", X, "The upload does not fit what is there."),
    Entry("EncryptionTypeMismatch", X, "The object's encryption does not fit the request.", "Use the bucket's encryption."),
    Entry("TooManyParts", X, "The upload has too many parts."),
    Entry("InvalidPrefix", X, "S3 does not allow the prefix."),
)
