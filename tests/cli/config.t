# settings say what they are and where that comes from
$ quire config get quota.file
1048576
$ quire config set quota.file 100; quire config get quota.file --json
{"key":"quota.file","value":"100","from":"quire.db","default":"1048576"}
$ QUIRE_QUOTA_FILE=200 quire config get quota.file --json
{"key":"quota.file","value":"200","from":"environment","default":"1048576"}
$ quire config set quota.file; quire config ls
quota.file      1048576       default      bytes an artifact may have
quota.session   52428800      default      bytes the artifacts of a session may have
quota.tenant    524288000     default      bytes the artifacts of a tenant may have
versions.kept   20            default      versions of an artifact that are kept; 0 for all
blob.layout     packed        default      packed: small blobs in quire.db; loose: each in a file
blob.inline     65536         default      packed: bytes a blob in quire.db may have, compressed
durability      each          default      each: a change of the catalogue waits for the disk; flush: not
gc.auto         on            default      on: a command that writes sees to a collection, once an hour
gc.grace        24h           default      how long a blob that nothing refers to is kept
gc.purge        30d           default      how long an artifact that was removed can be restored
serve.rate      0             default      requests a second that a tenant may send to a server; 0 for any
serve.burst     0             default      requests it may send at once; 0 for those of a second

# words and times are checked too
$ quire config set blob.layout flat
quire: blob.layout is packed or loose, not flat
hint: it is packed unless it is set
? 2
$ quire config set gc.grace soon
quire: gc.grace is a time like 30m, 24h or 7d, not soon
hint: it is 24h unless it is set
? 2
$ quire config set gc.grace 7d; quire config get gc.grace
7d

# a blob lies where the settings say
$ quire config set blob.layout loose; echo short | quire blob put -; find "$QUIRE_HOME"/blobs -type f | wc -l
blob:sha256:…
1
$ quire config set blob.layout; quire config set blob.inline 3; echo four | quire blob put -; find "$QUIRE_HOME"/blobs -type f | wc -l
blob:sha256:…
2
$ quire config set durability flush; echo x | quire artifact put later; quire artifact get later
#1 later, version 1
x

# what makes no sense is refused
$ quire config set quota.file much
quire: quota.file is a number of up to 15 digits, not much
hint: it is 1048576 unless it is set
? 2
$ quire config set versions.kept -- -3
quire: versions.kept is a number of up to 15 digits, not -3
hint: it is 20 unless it is set
? 2
$ quire config get nonsense
quire: unknown setting nonsense
hint: `quire config ls` lists the settings
? 1
$ QUIRE_VERSIONS_KEPT=some quire config get versions.kept
quire: versions.kept is a number of up to 15 digits, not some, in QUIRE_VERSIONS_KEPT
hint: …
? 2

# quotas are what they are set to
$ quire config set quota.file 3; echo four | quire artifact put a
quire: an artifact has at most 3 bytes, and this has 5
hint: keep it as a blob, or raise quota.file
? 1
$ quire config set quota.file 10; quire config set quota.session 12
$ echo 12345 | quire artifact put a; echo 123456 | quire artifact put b
#1 a, version 1
quire: the artifacts of the session would have 13 bytes, 1 more than the 12 they may have
hint: remove some, or raise quota.session
? 1
