# Channels of your own.

alert-channel = The channel { $name } does not work: { $reason } Everything else does.
doctor-channel-ill = The channel { $name } does not work: { $reason }
doctor-channel = The channel { $name } works
status-channels = Channels
error-channel-two-places = [channels.{ $name }] has both `load` and `path`; keep one of them.
error-channel-unknown = [channels.{ $name }]: there is no installed channel "{ $wanted }". { $count ->
        [0] None is installed.
       *[other] Installed: { $known }.
    } Name a class (load = "package.module:Class") or a file (path = "/…").
error-channel-no-module = [channels.{ $name }]: there is no module { $module }.
error-channel-no-file = [channels.{ $name }]: there is no file { $path }.
error-channel-no-class = [channels.{ $name }]: { $place } must have one class made from Channel with a `send` of its own (looked for: { $wanted }).
error-channel-inside = [channels.{ $name }]: { $path } is where agents can write. Keep the channel outside the workspace and outside folders that are opened to agents.
error-channel-foreign = [channels.{ $name }]: { $path } belongs to another user. It must be yours or root's.
error-channel-open = [channels.{ $name }]: other users of this machine can change { $path }. Run: chmod go-w { $path }
error-channel-settings = [channels.{ $name }]: { $key }: { $said }.
error-channel-misnamed = [channels.{ $name }]: its channel must take the name that it is given in the settings.
error-channel-broken = [channels.{ $name }]: its code failed ({ $said }).

adapted-faults = { $count ->
        [one] ⚠️ This text for { $target } does not keep a rule of its channel:
       *[other] ⚠️ This text for { $target } does not keep { $count } rules of its channel:
    }
