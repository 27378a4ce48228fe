# The database in trouble: what happened, what the host does now, what to do

error-store-damaged = The database file is damaged ({ $said }). It was left as it is. Go back to a backup with: { $command } restore FILE (or begin with an empty database: mv { $file } { $file }.damaged, then { $command } up --new-database)
error-store-mixed = The database file { $file } and the file { $file }-wal beside it do not belong together: one of them was copied here. Used together they would destroy each other, so both were left as they are. To go back to a backup, use: { $command } restore FILE
error-store-gone = The database file { $file } was deleted or replaced while the host runs. Nothing is accepted any more, since it would be lost. Stop the host, then go back to a backup with: { $command } restore FILE
error-store-overwritten = The database file { $file } was overwritten or cut off by another program. Nothing is accepted any more, since it would be lost. Stop the host, then go back to a backup with: { $command } restore FILE
error-store-ill = The database is damaged ({ $said }). Nothing is accepted any more, since it would be lost. Stop the host, then go back to a backup with: { $command } restore FILE
error-store-slow = The database has not answered for { $seconds } seconds.
error-store-closed = The database is closed: the host is stopping. Nothing is accepted any more; send it again after the next start.
error-schema-lacks = The database lacks what this version of NanoClaw OS needs: { $missing }. It was changed by other means, or only half of it was copied. Go back to a backup with: { $command } restore FILE
error-schema-foreign = Another version of NanoClaw OS has changed the database (it is at { $found } now, this host knows { $known }). This host stops, and accepts nothing any more. Update it and start it again.
error-database-missing = The database of this workspace, { $file }, is gone. Go back to a backup with: { $command } restore FILE. To begin with an empty one on purpose: { $command } up --new-database
error-database-empty = The database { $url } is empty, and this workspace had messages in it. Go back to a backup with: { $command } restore FILE. To begin with an empty one on purpose: { $command } up --new-database

help-new-database = Start with an empty database if this workspace's own is gone. Nothing is deleted.
status-trouble = Trouble
alarm-store = ⚠️ The host cannot store anything, so nobody is answered: { $reason }
alarm-store-over = The database works again. Messages that were sent meanwhile are answered now.

doctor-database-written = The database can be written: a row was stored and read back
doctor-database-lost = The database lost a row that was just stored in it. Go back to a backup with: { $command } restore FILE
doctor-trouble = The host that is running says: { $reason }
doctor-queues = Nothing that is due waits for long
doctor-queue-old = { $count ->
        [one] One piece of work ({ $kind }) has been due for { $minutes } min, and the host does not take it up. Restart the host; its log says more.
       *[other] { $count } pieces of work ({ $kind }) have been due for { $minutes } min and longer, and the host does not take them up. Restart the host; its log says more.
    }
doctor-queue-busy = All places for work of the kind "{ $kind }" are taken; the oldest piece that waits has been due for { $minutes } min
doctor-clocks = The clocks of this machine and of the database agree
doctor-clocks-apart = The clock of this machine and that of the database are { $seconds } s apart. Set both by a time server (timedatectl set-ntp true).
doctor-check-failed = The check "{ $check }" could not be done: { $said }
