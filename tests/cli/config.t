# settings say what they are and where that comes from
$ quire config get quota.file
16777216
$ quire config set quota.file 100; quire config get quota.file --json
{"key":"quota.file","value":"100","from":"quire.db","default":"16777216"}
$ QUIRE_QUOTA_FILE=200 quire config get quota.file --json
{"key":"quota.file","value":"200","from":"environment","default":"16777216"}
$ quire config set quota.file; quire config ls
quota.file      16777216      default      bytes an artifact may have
quota.session   1073741824    default      bytes the artifacts of a session may have
quota.tenant    10737418240   default      bytes the artifacts of a tenant may have
versions.kept   20            default      versions of an artifact that are kept; 0 for all
blob.layout     packed        default      packed: small blobs in quire.db; loose: each in a file
blob.inline     65536         default      packed: bytes a blob in quire.db may have, compressed
durability      each          default      each: a change of the catalogue waits for the disk; flush: not
gc.auto         on            default      on: a command that writes sees to a collection, once an hour
gc.grace        24h           default      how long a blob that nothing refers to is kept
gc.purge        30d           default      how long an artifact that was removed can be restored
import.watch    off           default      on: a server keeps importing what other agents write
prices.file                   default      path of a table of prices that comes before the built-in one
retain.age      0             default      sessions that have not changed for so long go to the trash; 0 for none
retain.size     0             default      bytes the sessions of a tenant may have, else the oldest go; 0 for any
retain.count    0             default      sessions a tenant may have, else the oldest go; 0 for any
secrets         off           default      what happens when a known form of key or password is stored
trash.keep      30d           default      how long a session in the trash can be restored
serve.rate      0             default      requests a second that a tenant may send to a server; 0 for any
serve.burst     0             default      requests it may send at once; 0 for those of a second

# sizes may have a unit, and are told in bytes
$ quire config set quota.file 10m; quire config get quota.file; quire config set blob.inline 64K; quire config get blob.inline --json
10485760
{"key":"blob.inline","value":"65536","from":"quire.db","default":"65536"}
$ QUIRE_QUOTA_FILE=2GiB quire config get quota.file; QUIRE_QUOTA_FILE=3 quire artifact put a </dev/null; echo 1234 | QUIRE_QUOTA_FILE=1k quire artifact put a
2147483648
#1 a, version 1
#1 a, version 2
$ quire config set quota.file 10X
quire: invalid value 10X for quota.file: expected a size like 4096, 64K or 10M
hint: the default is 16777216
? 2
$ quire config set quota.file 9999T
quire: invalid value 9999T for quota.file: …
hint: …
? 2
$ quire config set versions.kept 10k
quire: invalid value 10k for versions.kept: expected a number of up to 15 digits
hint: …
? 2

# the default tenant has room for a user's own files, others what a server gives
$ quire tenant add acme -q >/dev/null; quire config get quota.session --tenant acme; quire config get quota.session
52428800
1073741824
$ head -c 2000000 /dev/zero >big; quire artifact put big big; quire artifact put big big --tenant acme
#1 big, version 1
quire: content has 2000000 bytes, above the limit of 1048576 for an artifact
hint: keep it as a blob, or raise quota.file
? 1
$ quire config set quota.file 2M; quire artifact put big big --tenant acme
#2 big, version 1

# words and times are checked too
$ quire config set blob.layout flat
quire: invalid value flat for blob.layout: expected packed or loose
hint: the default is packed
? 2
$ quire config set gc.grace soon
quire: invalid value soon for gc.grace: expected a time like 30m, 24h or 7d
hint: the default is 24h
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
quire: invalid value much for quota.file: expected a size like 4096, 64K or 10M
hint: the default is 16777216
? 2
$ quire config set versions.kept -- -3
quire: invalid value -3 for versions.kept: expected a number of up to 15 digits
hint: the default is 20
? 2
$ quire config get nonsense
quire: unknown setting nonsense
hint: `quire config ls` lists the settings
? 1
$ QUIRE_VERSIONS_KEPT=some quire config get versions.kept
quire: invalid value some for versions.kept in QUIRE_VERSIONS_KEPT: expected a number of up to 15 digits
hint: …
? 2

# quotas are what they are set to
$ quire config set quota.file 3; echo four | quire artifact put a
quire: content has 5 bytes, above the limit of 3 for an artifact
hint: keep it as a blob, or raise quota.file
? 1
$ quire config set quota.file 10; quire config set quota.session 12
$ echo 12345 | quire artifact put a; echo 123456 | quire artifact put b
#1 a, version 1
quire: the artifacts of the session would take 13 bytes, 1 above the quota of 12
hint: remove some, or raise quota.session
? 1
