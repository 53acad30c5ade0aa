"""Places for files behind one interface: a local folder, an SFTP server, Google Cloud Storage, S3.

They only read. ``files()`` lists regular files; ``chunks()`` raises ``OSError`` for a file that is not there or
can't be read, and both raise ``MeasurementError`` where the place itself can't be reached.
"""
