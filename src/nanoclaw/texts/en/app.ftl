# What the command line says, and every error as a sentence that tells what to do.

room-first = General
room-terminal = Terminal

workspace-closed = Other users of this machine could get at { $path }; now only you can. If others use this machine, look whether anything in it is not yours.
up-made = A new workspace: { $home }
up-makes-room = Another nanoclaw command is using this workspace for a moment; waiting for it to finish.
up-skills = New in this version, and added to skills/: { $skills }
up-ready = NanoClaw OS is running. Web page: { $link }
up-stop-hint = Ctrl-C stops it.
up-chat-hint = Write a message. /help shows the commands, Tab completes them. A number such as /1 presses a button. Esc stops an answer, Ctrl-D or Ctrl-C stops the host.
up-stopping = Stopping ...
up-stopped = Stopped. Unfinished work continues at the next start.
chat-hint = Write a message. /help shows the commands, Tab completes them. A number such as /1 presses a button. Esc stops an answer, Ctrl-D leaves.
chat-waits-agent = working · { $time } · Esc stops it
chat-waits-person = waiting for you · { $time }
chat-quit = Leave the chat.
chat-decide = { $label }: { $command } decide { $id } { $option }
chat-lost = The host is not answering; trying again ...
chat-kept = Not sent; your text is back on the line: { $error }
chat-timeout = No answer within { $span }. The message is kept: { $command } why { $id }
install-extra = Installing the packages for { $extra } ...
install-failed = The packages for { $extra } could not be installed. Try: { $command }

status-running = running at { $url } (pid { $pid })
status-stopped = not running; start it with: { $command } up
status-link = Web page
status-workspace = Workspace
status-database = Database
status-host = Host
status-waiting = Messages waiting
status-turns = Turns running
status-undelivered = Answers on their way
status-failed = Failed deliveries

why-head = { $id }  "{ $said }"  { $sentence }
failed-none = Nothing failed.
failed-drafts-none = No answer is known to have left a half-written copy in a chat.
failed-drafts-count = { $count ->
    [one] The first words of one answer may stand in a chat a second time
   *[other] The first words of { $count } answers may stand in a chat a second time
}: { $command } failed drafts
failed-retried = { $count ->
        [one] One message
       *[other] { $count } messages
    } will be sent again{ $running ->
        [yes] {" "}within a few seconds.
       *[no] {" "}when the host is started.
    }
failed-dropped = { $count ->
        [one] One message
       *[other] { $count } messages
    } dropped.
failed-column-id = Id
failed-column-chat = Chat
failed-column-state = State
failed-column-error = Reason
failed-column-text = Text
init-made = Made the workspace { $home }. Start it with: { $command } up
init-exists = { $home } is a workspace already; nothing was changed.

doctor-python = Python { $version }
doctor-sqlite = SQLite { $version }
doctor-git = git is installed
doctor-git-missing = git is missing, so the workspace has no history. Run: apt-get install git
doctor-workspace = The workspace { $home } can be written
doctor-workspace-missing = There is no workspace in { $home } yet. Run: { $command } up
doctor-settings = nanoclaw.toml is in order
doctor-database = The database is sound ({ $url })
doctor-database-new = The database will be made at the first start
doctor-skills = { $count ->
        [one] One skill
       *[other] { $count } skills
    } in order
doctor-company-missing = The company "{ $company }" of the group { $group } has no context: make companies/{ $company }/context/ or change groups/{ $group }/group.toml
doctor-runtime-missing = The runtime "{ $runtime }" of the group { $group } is not available here, so its messages fail. Use runtime = "demo" in groups/{ $group }/group.toml
doctor-skill-missing = The skill "{ $skill }" of the group { $group } is missing: its agent works without instructions. Change it in groups/{ $group }/group.toml
doctor-groups = { $count ->
        [one] One agent group
       *[other] { $count } agent groups
    } in order
doctor-host = The host is running at { $url }
doctor-host-stopped = The host is not running. Run: { $command } up
doctor-disk = { $free } GB of disk space are free
doctor-disk-low = Only { $free } GB of disk space are free. Make room before it runs out.
doctor-failed = { $count ->
        [0] Every answer is delivered or on its way
        [one] One answer could not be delivered. Run: { $command } failed list
       *[other] { $count } answers could not be delivered. Run: { $command } failed list
    }
doctor-well = Everything is in order.
doctor-ill = { $count ->
        [one] One thing needs mending.
       *[other] { $count } things need mending.
    }

help-frame-usage = Usage:
help-frame-arguments = Arguments
help-frame-options = Options
help-frame-commands = Commands
help-frame-error = Error
help-frame-required = required
help-frame-default = default:
help-frame-help = Show this message and exit.
help-frame-try = Try [blue]'{ $command }'[/] for help.
help-app = NanoClaw OS: a self-hosted host for AI agents.
help-up = Start everything and open a chat. Creates the workspace if there is none.
help-chat = Chat with the agent of a running host.
help-init = Create a workspace without starting anything.
help-status = Show whether the host is running, where, and what it is doing.
help-why = Show what happened to a message, when, and why.
help-doctor = Check what is missing and show the command that fixes it.
help-failed = Answers that could not be delivered.
help-failed-list = List them.
help-failed-drafts = List answers whose first words may appear twice in a chat.
help-failed-retry = Send them again: give their ids, or --all.
help-failed-drop = Give up on them: give their ids, or --all.
help-no-chat = Run as a service: no chat, logs go to stderr.
help-message = Send this, print the answer and exit.
help-room = Title of the room to talk in; default: the terminal's own.
help-timeout = How many seconds to wait for the answer.
help-json = Print JSON.
help-id = Id of a message, a turn or an answer, or its first letters; default: the last message.
help-ids = Ids from `{ $command } failed list`.
help-all = All of them.
help-version = Print the version and exit.

error-bad-request = The request cannot be read: { $where } { $said }
bad-request-empty = is empty
bad-request-long = is longer than { $most } characters
bad-request-missing = is missing
bad-request-unknown = is not known
error-no-such-room = There is no such room.
error-no-such-ref = There is nothing called "{ $ref }" here.
error-ref-empty = Say which one you mean: what you gave is empty.
error-no-such-room-titled = There is no room "{ $title }". There are: { $known }.
error-no-such-message = There is no message with that id.
error-nothing-to-retry = There is no failed message with that id.
error-room-untitled = A room needs a title.
error-too-big = At most { $megabytes } MB can be sent at once.
error-wrong-host = This host answers only to this machine.
error-locked = The token is missing or wrong. The command `{ $command } status` prints the link.
error-wrong-origin = Only this page may do that.
error-lease-lost = Another host took this work over.
error-disk-full = The disk is full, so nothing could be stored. Free some space and try again; nothing that was stored is lost.
error-store-read-only = The database is read-only, so nothing could be stored. Give this user the right to write it.
error-store-silent = The database does not answer: { $said }
error-missing-extra = A setting needs packages that are not installed: the extra "{ $extra }". They are installed by: { $command } up
error-schema-newer = The database was made by a newer version of NanoClaw OS. Update this one and start it again.
error-no-workspace = There is no workspace in { $home }. Make it with: { $command } up
error-group-missing = There is no agent group { $group }: { $file } is missing.
error-no-groups = There is no agent group in { $folder }. Make { $folder }/main/group.toml with one line: company = "demo"
error-group-broken = { $file }: this is not TOML: { $said }
error-group-key = { $file }: { $said ->
        [missing] the key "{ $key }" is missing
       *[other] unknown key "{ $key }"
    }. Known keys: { $known }.
error-skill-unreadable = { $file }, line { $line }: the file cannot be read: { $said }
error-skill-unopened = { $file }, line { $line }: a skill starts with a line of three dashes and its front matter.
error-skill-unclosed = { $file }, line { $line }: the front matter is not closed by three dashes.
error-skill-not-yaml = { $file }, line { $line }: this is not YAML ({ $said }).
error-skill-no-keys = { $file }, line { $line }: the front matter is a list of "key: value" lines.
error-skill-unknown-key = { $file }, line { $line }: unknown key "{ $key }". Known keys: { $known }.
error-rule-tool-unknown = nanoclaw.toml: the rule in [[approvals]] names "{ $tool }", and there is no such tool, so it guards nothing. Tools are: { $known }. Those of MCP servers are called server_tool.
error-skill-rule-unknown = { $file }, line { $line }: the rule in `approvals` names "{ $tool }", and there is no such tool, so it guards nothing. Tools are: { $known }. Those of MCP servers are called server_tool.
error-skill-tool-unknown = { $file }, line { $line }: there is no tool "{ $tool }", so the agent does not get it. The host's tools are: { $known }. Hands (bash, files) and MCP servers are not named here.
error-left-out-unknown = { $file }, line { $line }: without_tools names "{ $tool }", and there is no such tool. The host's tools are: { $known }. Hands (bash, files) and MCP servers are not named here.
error-skill-context-unknown = { $file }, line { $line }: "{ $pattern }" fits no file of the context, so the agent gets none for it. There are: { $known }.
error-skill-command-of-host = { $file }, line { $line }: { $command } is a command of the host and never reaches the skill. Give the skill another one.
error-skill-command-twice = { $file }, line { $line }: { $command } is taken by { $other }, which always gets it. Give one of the two another command.
error-group-main-twice = { $file }, line { $line }: { $main } is the main group already, so { $group } is not. Remove "main = true" from one of the two.
error-topic-skill = { $file }, line { $line }: topic { $topic } names the skill "{ $skill }", and there is none. There are: { $known }.
error-topic-domain = { $file }, line { $line }: topic { $topic } names the domain "{ $domain }", and no skill is in it. Domains: { $known }.
error-topic-other-domain = { $file }, line { $line }: the skill { $skill } of topic { $topic } is in the domain { $of }, not in { $domain }.
error-skill-twice = { $file }, line { $line }: there is another skill with the name "{ $name }": { $other }. Give one of them another name.
error-skill-bad-value = { $file }, line { $line }: { $key }: { $said }.
error-settings-broken = { $file } is not TOML: { $said }
error-settings-unreadable = { $file } cannot be read: { $said }
error-settings-unknown-variable = The environment variable { $name } is not known. Known: { $known }.
error-settings-key-meant = { $place }: unknown key "{ $key }". Did you mean { $meant }?
error-settings-unknown-key = { $place }: unknown key "{ $key }". Known: { $known }.
error-settings-bad-value = { $place }: { $key } = { $value }: { $fault ->
        [choice] it can be { $said }
        [least] it must be at least { $said }
        [above] it must be more than { $said }
        [most] it must be at most { $said }
        [below] it must be less than { $said }
        [beginning] it must begin with { $said }
        [short] it must have at least { $said } characters
        [long] it must have at most { $said } characters
        [number] it must be a number
        [yes-or-no] it must be true or false
        [text] it must be text, in quotation marks
        [list] it must be a list
        [section] it must be a section of its own, with keys and values
        [missing] it is missing
       *[other] { $said }
    }.
error-workspace-unwritable = The workspace { $folder } cannot be written ({ $said }). Give this user the right to write it, or choose another folder with NANOCLAW_HOME.
error-workspace-link = { $path } is a symbolic link, and the host does not follow links to what it trusts. Put the real thing in its place, or name where it is: NANOCLAW_HOME={ $target } for a workspace, `backup.folder` and `database.url` in nanoclaw.toml for backups and the database.
error-workspace-foreign = { $path } belongs to { $owner }, and this is { $me }: whoever owns it could change the workspace. Run this as { $owner }, or give it over: chown -R { $me } { $path }
error-workspace-above-foreign = { $path } belongs to { $owner }, and this is { $me }: whoever owns it could put another workspace in the place of yours. Run this as { $owner }, or choose a place of your own with NANOCLAW_HOME.
error-workspace-open = Other users of this machine can get at { $path }, and that cannot be changed ({ $said }). Run: chmod go= { $path }
error-workspace-above-open = Other users of this machine can change { $path }, and so could put another workspace in the place of { $home }. Run: chmod go-w { $path } — or choose another place with NANOCLAW_HOME.
error-workspace-is-clone = { $folder } holds the program itself. Choose another folder for the workspace with NANOCLAW_HOME.
error-database-url = The address of the database cannot be read: { $said }
error-schema-other = The database has another version than this program. Start it once with: { $command } up
error-port-refused = Port { $port } cannot be used ({ $said }). Choose another one: NANOCLAW_WEB_PORT=8643 { $command } up
error-already-starting = NanoClaw OS is being started or stopped on this workspace. Try again in a moment.
error-already-running = NanoClaw OS is running already on this workspace: { $url } (pid { $pid }). Talk to it with: { $command } chat
error-not-running = No host is running on { $home }. Start it with: { $command } up
error-port-taken = Port { $port } is used by another program. Choose another one: NANOCLAW_WEB_PORT=8643 { $command } up
error-host-unreachable = The host does not answer at { $url } ({ $said }).
error-said = { $said }
error-failed-unknown = There is no failed message { $id }. See: { $command } failed list
error-failed-none-named = Name the messages, or use --all. See: { $command } failed list

key-ask = Key of { $vendor } (it is not shown):{" "}
key-kept = The key of { $vendor } is kept in { $file }, which only you can read. It is used from the next start on.
key-dropped = The key of { $vendor } is gone.
key-none = No key is kept. Set one with: { $command } key set
error-key-odd = That is no key of { $vendor }: a key is one word of at least 8 letters and digits. Nothing was changed.
error-key-missing = No key of { $vendor } is kept. Kept are: { $known }.
error-keys-broken = { $file } cannot be read ({ $said }). Remove it and set the keys again with: { $command } key set
error-mounts-broken = { $file } cannot be read: { $said }
error-mount-not-allowed = The group wants to see { $path }, which is not allowed. Allow it in { $file }: a table [[mount]] with path = "{ $path }".
error-mount-not-writable = The group wants to write to { $path }, which may only be read. Allow it in { $file } with write = true, or take write = true out of the group's mounts.
error-mount-missing = The group wants to see { $path }, and there is no such folder.
error-mount-twice = The group wants to see two folders as { $target }; the second is { $path }. Mount the folder above them instead.

sandbox-holds = Every way out of the box is closed ({ $driver }).
sandbox-leaks = { $count ->
        [one] One way out is open
       *[other] { $count } ways out are open
    } ({ $driver }): no agent is started like this.
sandbox-shell = A shell in the box of { $group }: its files are in /work. `exit` leaves it.
doctor-sandbox = The boxes of agents hold ({ $driver }; limits by { $limits })
doctor-sandbox-process = Agents run WITHOUT a box (boxes.driver = "process"): they can do whatever this host can
doctor-folders-deep = { $folder }: a box nested folders deeper than { $most }. They are not given to other boxes, and backups leave them out. Remove them: { $path }...
doctor-folders-many = { $folder }: boxes left more than { $most } files there; the rest is not looked at. Remove what is not needed.
doctor-folders-unsafe = { $folder }: files that would run with the rights of their owner, or devices: { $files }. The next box there takes those rights away.
doctor-folders-closed = { $folder }: folders that their owner cannot open: { $files }. The next start opens them.
doctor-model = { $model } answered a small question; it cost { $money }
doctor-model-demo = The agent is the demo: no key is set. Set one with: { $command } key set
help-key = API keys of model vendors.
help-key-set = Store a key in a file that only you can read.
help-key-list = List the vendors whose keys are stored.
help-key-drop = Delete a stored key.
help-vendor = The vendor: anthropic, openai, google ...
help-sandbox = The boxes that agents' commands run in.
help-sandbox-test = Try every way out from inside a box.
help-sandbox-shell = Open a shell in a group's box.
help-group = The agent group.
help-connections = Network connections that agents asked for, and what became of them.

# The box that an agent's hands are in

error-box-unmade = The box could not be made: { $said }. Run `nanoclaw doctor`.
error-box-mount-missing = The box cannot show { $target }, because { $source } does not exist. Make it, or take the mount out of the group's settings.
error-box-folders = The folder { $folder } of the box cannot be used: { $said }. Mend its rights, and try again.
error-box-users-unreadable = The file { $file }, which says which user id each company's boxes have, cannot be used: { $said }. Mend it or bring it back from a copy; do not delete it.
error-box-leaks = The box does not hold, so no agent is started. These ways out are open: { $probes }. Run `nanoclaw doctor`, or choose another sandbox in the settings.
error-box-silent = The box did not answer the test of its walls, so no agent is started. It said: { $said }. Run `nanoclaw doctor`.
error-box-no-stage = None of these folders can be used to make the box ready: { $folders }. Make one of them, empty, and try again.
error-session-busy = A box of the session { $session } is still alive. Wait until it has ended, and try again.

error-sandbox-unknown = There is no sandbox “{ $name }”. Choose one of: { $names }.
error-sandbox-tool-missing = The program { $tool } is missing. Install it: `apt install util-linux`.
error-sandbox-processor = For the processor { $processor } there is no filter of system calls, so no box can be made safe here. Use a machine with x86_64 or aarch64.
error-bubblewrap-missing = The program bwrap is missing. Install it: `apt install bubblewrap`.
error-bubblewrap-powerless = bubblewrap may not make boxes here: { $said }. Allow user namespaces (`sysctl kernel.unprivileged_userns_clone=1`, `sysctl user.max_user_namespaces=10000`), or choose `podman` in the settings.
error-bubblewrap-apparmor = AppArmor keeps bubblewrap from making boxes, as Ubuntu does since 24.04: { $said }. Allow it: `apt install apparmor-profiles && ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && systemctl reload apparmor`, or choose `podman` in the settings.
error-podman-missing = The program podman is missing. Install it: `apt install podman`.
error-docker-missing = The program docker is missing. Install the Docker engine of your system, or choose `podman`: `apt install podman`.
error-engine-silent = { $engine } does not work here: { $said }. Start its service, or choose another sandbox in the settings.

sandbox-process-warning = The sandbox is `process`: agents run WITHOUT a box. They can read and change every file that this host can, and reach the network. Use it only to try things out.

probe-files = The host's files and other groups' folders cannot be seen
probe-writes = What is read-only cannot be written
probe-core-pattern = The kernel's switches cannot be turned
probe-network = No way leads to the network
probe-interfaces = There is no network card
probe-loopback = The host's own ports cannot be reached
probe-abstract-sockets = Sockets without a file cannot be reached
probe-odd-sockets = Rare kinds of sockets cannot be made
probe-processes = The host's processes cannot be seen
probe-environment = Nothing of the host's environment is inside, no key either
probe-privileges = There are no privileges, and none can be gained
probe-root = The agent is not root, under no name
probe-mount = Nothing can be mounted
probe-namespaces = No namespaces can be made
probe-ptrace = No process can be traced
probe-devices = No devices can be made
probe-set-ids = No file can be made that runs as someone else, or with privileges
probe-handles = No file can be opened by its number
probe-kernel = Risky parts of the kernel are closed
probe-typing = Nothing can be typed into your terminal


# MCP servers (nanoclaw mcp ...)

help-mcp = MCP servers whose tools agents can use.
help-mcp-add = Add a server: a URL, or, after --, a command that runs in a box of its own.
help-mcp-remove = Remove a server.
help-mcp-list = List the servers.
help-mcp-test = Connect to a server and show its tools.
help-mcp-name = Name of the server: lowercase letters, digits and -.
help-mcp-command = Command of a local server, after --.
help-mcp-url = URL of a remote server (streamable HTTP).
help-mcp-header = Header for a remote server: NAME=value, or NAME alone to be asked for the value without showing it.
help-mcp-env = Environment variable for a local server: NAME=value, or NAME alone to be asked for the value without showing it.
help-mcp-network = Host that a local server may reach, such as api.example.com or *.example.com.
help-mcp-folder = Folder of this machine that a local server may read, under the same path.

mcp-ask-header = Header { $name } for { $server } (it is not shown):{" "}
mcp-ask-env = Variable { $name } for { $server } (it is not shown):{" "}
mcp-added = The server { $server } is written down. Try it with: { $command } mcp test { $server }
    Agents of a group may use it when its group.toml has: mcp = ["{ $server }"]
mcp-removed = The server { $server } is forgotten.
mcp-files-stay = What it wrote stays in { $folder }.
mcp-none = No server is written down. Add one with: { $command } mcp add
mcp-left-out = Left out: { $count ->
    [one] one tool
   *[other] { $count } tools
 }. Agents get at most 200 tools of a server, of at most 30,000 characters each and 200,000 together: every model call carries them.
alert-mcp-left-out = ⚠️ The MCP server { $server } has more than agents can be given: { $count ->
    [one] one of its tools is
   *[other] { $count } of its tools are
 } left out. `nanoclaw mcp test { $server }` shows which ones they get.
alert-mcp-changed = ⚠️ The MCP server { $server } now describes its tools differently: { $tools }. Agents read what it says there, so look at it: `nanoclaw mcp test { $server }`. If you do not trust it any more: `nanoclaw mcp remove { $server }`.
mcp-answers = { $server } answers after { $seconds } s and has { $count ->
        [one] one tool.
       *[other] { $count } tools.
    }

error-mcp-name = A server cannot be called "{ $server }": small letters, digits and hyphens, a letter first, at most 32.
error-mcp-odd = The server { $server } cannot be written down: { $key }: { $said }. Nothing was changed.
error-mcp-broken = { $file } cannot be read ({ $said }). Mend it, or remove it and add the servers anew.
error-mcp-exists = There is a server { $server } already. Remove it first: { $command } mcp remove { $server }
error-mcp-unknown = There is no server { $server }. There are: { $known }.
error-mcp-silent = The server { $server } does not answer: { $said }. Look at its address or command: { $command } mcp list
error-mcp-folder-ours = A server may not see { $folder }: the workspace { $home } with its keys is there. Put the server's program elsewhere.

error-vendor-unknown = There is no vendor "{ $vendor }". Known are: { $known }.
error-mcp-folder-missing = There is no folder { $folder }.
error-group-value = { $file }: { $key }: { $said }.
doctor-mcp-missing = The group { $group } wants the MCP server "{ $server }", which is not written down. Add it with: { $command } mcp add { $server }
doctor-hosts-shared = This database can be shared by several hosts: each needs the same workspace folder (a shared file system), or its sessions and files are only on the host that made them

# For app.ftl: the commands `adaptors list` and `adaptors check`, faults of adaptors, and what a text breaks.
help-adaptors = Formats of channels, and whether a text follows them.
help-adaptors-list = List the channel formats.
help-adaptors-check = Check a file against the rules of its channel: exits with 0 if it follows them, 1 if not, 2 if it cannot be checked.
help-adaptors-file = The text, as a Markdown file.
help-adaptors-target = The channel it is written for; default: `channel` or `target` in its front matter.

adaptors-kept = { $file } keeps every rule of { $adaptor }.
adaptors-more = { $count ->
        [one] And one more.
       *[other] And { $count } more.
    }

doctor-adaptors = { $count ->
        [one] One channel format
       *[other] { $count } channel formats
    } in order
doctor-target-missing = The skill "{ $skill }" writes for "{ $target }", for which there is no channel format. Known: { $known }.

error-adaptor-unreadable = { $file }, line { $line }: the file cannot be read: { $said }
error-adaptor-too-big = { $file }, line { $line }: a channel format has at most { $kilobytes } KB, because agents read all of it.
error-adaptor-unopened = { $file }, line { $line }: a channel format starts with a line of three dashes and its front matter.
error-adaptor-unclosed = { $file }, line { $line }: the front matter is not closed by three dashes.
error-adaptor-not-yaml = { $file }, line { $line }: this is not YAML ({ $said }).
error-adaptor-no-keys = { $file }, line { $line }: the front matter is a list of "key: value" lines.
error-adaptor-no-advice = { $file }, line { $line }: nothing follows the front matter. Write there how a text for this channel looks.
error-adaptor-unknown-key = { $file }, line { $line }: unknown key "{ $key }". Known keys: { $known }.
error-adaptor-twice = { $file }, line { $line }: there is another channel format for "{ $name }": { $other }. Take it out of one of them.
error-adaptor-bad-value = { $file }, line { $line }: { $key }: { $said }.
error-adaptors-none = There is no channel format in { $folder }. Those that come with NanoClaw OS can be copied from { $starter }
error-adaptors-no-target = Nobody says which channel { $file } is for. Write "channel: ..." in its front matter, or use --target. Known: { $known }.
error-adaptors-unknown-target = There is no channel format for "{ $target }". Known: { $known }.
error-adaptors-unread = { $file } cannot be read: { $said }
error-adaptors-not-a-file = { $file } is not a file.
error-adaptors-too-big = { $file } has more than { $kilobytes } KB. Check a smaller text.
error-adaptors-not-text = { $file }, line { $line }: this is not UTF-8 text. Save it as UTF-8 and check it again.

violation-empty = There is no text.
violation-head-unclosed = The front matter is not closed by three dashes.
violation-head-not-yaml = The front matter is not YAML ({ $said }).
violation-head-no-keys = The front matter is not a list of "key: value" lines.
violation-head-lacks = The front matter lacks: { $keys }.
violation-part-missing = The { $part } is missing. Write it into the front matter, as a line at the top, or as a section.
violation-too-long = The { $part } has { $count } characters; at most { $most } fit.
violation-too-many-words = The { $part } has { $count } words; at most { $most } fit.
violation-too-few-items = { $count ->
        [one] The { $part } has one entry
       *[other] The { $part } has { $count } entries
    }; at least { $least } are needed.
violation-too-many-items = The { $part } has { $count } entries; at most { $most } fit.
violation-too-few-hashtags = { $count ->
        [0] The { $part } has no hashtags
        [one] The { $part } has one hashtag
       *[other] The { $part } has { $count } hashtags
    }; at least { $least } are needed.
violation-too-many-hashtags = { $count ->
        [one] The { $part } has one hashtag
       *[other] The { $part } has { $count } hashtags
    }; { $most ->
        [0] none belong there.
       *[other] at most { $most } do it good.
    }
violation-hashtags-early = The hashtags of the { $part } belong at its end, on lines of their own.
violation-first-line-long = The first line of the { $part } has { $count } characters; at most { $most } are seen.
violation-first-line-emoji = The first line of the { $part } has an emoji ({ $emoji }). Leave it out.
violation-heading-missing = The section "{ $heading }" is missing.
violation-heading-early = The section "{ $heading }" belongs after "{ $before }".
violation-list-long = The list has { $count } points; at most { $most } are read. Split it or leave some out.
violation-code-untagged = The code block does not say its language. Write it after the opening signs, for example ```python.
violation-html = { $tag } is not allowed here. Allowed, with no attribute but href: { $allowed }.
violation-link-missing = There is no link with "{ $words }" in its words or address.
violation-timestamps-missing = Videos of more than { $minutes } minutes need chapters: lines such as "0:00 What you need".
violation-timestamps-start = The first chapter has to begin at 0:00.
violation-timestamps-few = { $count ->
        [one] There is one chapter
       *[other] There are { $count } chapters
    }; with fewer than { $least } none are shown.
violation-timestamps-order = The chapter begins before the one above it, or with it.
violation-duration-unread = "{ $said }" is no duration. Write it as 12:40.

# Telegram

help-telegram = Telegram bots.
help-telegram-connect = Connect a bot: checks and stores its token, and prints a pairing code.
help-telegram-token = The token from BotFather. If left out, you are asked for it without showing it.
help-telegram-list = List the bots of this host and any problems they have.
help-telegram-disconnect = Disconnect a bot and delete its token.
help-telegram-bot = The bot's number or @name.
help-telegram-aside = List updates that could not be processed, with the reason.
help-pair = Print a new one-time code. Whoever sends it to a bot becomes an owner of this host.
telegram-ask = {"Token of the bot: "}
telegram-connected = @{ $bot } is connected.
telegram-disconnected = { $bot } is no longer connected.
telegram-not-running = No host runs now: start it with { $command } up, then send the code.
telegram-none = No bot is connected. Get a token from @BotFather in Telegram, then: { $command } telegram connect
telegram-works = works
telegram-id = number
telegram-name = name
telegram-state = state
telegram-at = time
telegram-channel = channel
telegram-update = update
telegram-error = reason
telegram-aside-none = Every update was taken in.
pair-code = Send this to the bot within { $minutes } minutes, and you are an owner of this host, on all its bots: /pair { $code }
pair-link = Or open this on your phone: { $link }
doctor-telegram = The bot @{ $bot } can be reached
doctor-telegram-none = No bot on Telegram. Connect one with: { $command } telegram connect
doctor-ffmpeg-missing = ffmpeg is missing: voices in unusual formats cannot be heard. Run: apt-get install ffmpeg
fake-telegram =
    This plays Telegram, and you are the person at the phone. Start the host in another terminal:

      export TELEGRAM_API_BASE={ $url }
      export TELEGRAM_BOT_TOKEN={ $token }
      { $command } up

    Then pair here with the code of { $command } pair (with the same two variables), and write to @{ $bot }.
    !press LABEL presses a button, !reply TEXT answers the last message (!reply #12 TEXT that one), !send PATH sends a file, Ctrl-D leaves.
fake-telegram-nothing = There is no such button or message.

# Who may speak (nanoclaw people, roles, chats, wirings, groups, requests, drops, audit, admission)

status-requests = Strangers and new chats that wait
status-questions = Questions that wait for an answer

help-people = Everyone who has written or has a role.
help-people-list = List them, with their roles.
help-people-block = Ignore everything from a person.
help-people-unblock = Listen to them again.
help-person = The person: @username, handle such as telegram:123, number or id.
help-roles = Who may do what.

    owner: administers the host and everyone in it, everywhere.

    admin: administers agent groups, their chats and their members: all groups, or the one of --group.

    member: talks to the agent of one group.

    Owners make owners and admins; admins of everything make admins of a group; admins of a group make its members. Whoever uses this command acts as an owner.
help-roles-list = List who has which role, and where.
help-roles-give = Give a person a role: owner, admin or member.
help-roles-take = Take a role away: without --group the one that applies everywhere, or else the only one they have.
help-role = owner, admin or member.
help-within-group = Only in this agent group. Members always belong to a group; with a single group you can leave it out.
help-chats = The chats that this host knows.
help-chats-list = List them, with their agents and their rule for strangers.
help-chats-strangers = Set what happens when a stranger writes in a chat.
help-of-chat = The chat: its id, address or title.
help-of-group = The agent group.
help-policy = request_approval: an owner or admin is asked. strict: strangers are dropped. public: anyone may speak.
help-wirings = Which agents are in which chats, and what they respond to.
help-wirings-list = List them.
help-wirings-set = Put an agent into a chat, or change its settings there. Options you leave out stay as they are.
help-wirings-remove = Take an agent out of a chat.
help-engage = What the agent responds to: always, mention, mention-sticky or pattern.
help-pattern = Regular expression for pattern, such as ^assistant. Case does not matter.
help-senders = Whose messages it responds to: all (anyone who may write in the chat) or known (members of its group).
help-ignored = What happens to other messages: drop, or accumulate (it reads them along with the next one it responds to).
help-priority = If there are several agents, the one with the lowest number starts first.
help-groups = Agent groups.
help-groups-list = List them, with their companies.
help-groups-add = Create an agent group: its folder, and its company if there is none by that name.
help-group-name = The name, which is also the name of the folder.
help-company = The company it works for; default: one named after the group.
help-requests = Strangers and new chats waiting for a decision.
help-requests-list = List them, with what they wrote and the choices.
help-requests-decide = Decide on one of them. What they wrote meanwhile is then handled.
help-request = The id, as the list shows it.
help-choice = allow, deny or block for a person; an agent group, ignore or never for a chat.
help-drops = What was turned away, and why. Newest first.
help-audit = Who changed what, when and from where. Newest first.
help-limit = How many at most.
help-admission = How the host decides whether a message reaches an agent.
help-explain = Show what would happen to a message, and why. Nothing is done.
help-explain-chat = The chat it is sent to: id, address or title.
help-explain-from = Who sends it: @username, handle, number or id.
help-explain-text = The text of the message.
help-mention = Whether it mentions the bot or replies to it. Default: yes in private chats and for commands.
help-thread = Number of the forum topic.

person-role-none = no role
people-none = Nobody has written yet.
chat-kind-private = private
chat-kind-group = group
chat-kind-threaded = group with topics
chat-no-agent = no agent
wiring-priority = Priority: { $priority }.
wiring-fault = It does not work: { $fault }.
wirings-none = No agent is in any chat yet.
group-row = { $group }: company { $company }, { $count ->
        [one] one chat
       *[other] { $count } chats
    }
group-main = (the main group)
request-about-sender = { $who } wants to talk to { $groups } in { $chat }
request-about-chat = { $chat } has no agent; { $who } wrote there or brought the bot
request-choices = Choose one of: { $choices }
decided-running = The host goes on with it within a few seconds.
decided-stopped = The host goes on with it when it is started: { $command } up
audit-via = from: { $via }
explain-new-chat = There is no chat "{ $chat }" yet: taken for a new one.
explain-new-person = Nobody is known as "{ $person }": taken for a stranger.
explain-finding = { $group }: { $outcome ->
        [wakes] takes it up
        [kept] keeps it as context
        [asked] waits until someone decides
       *[other] does not take it up
    }, { $reason }

doctor-wiring-gone = { $chat } is wired to { $group }, an agent group that was removed. Run: { $command } wirings remove { $id } { $group }
doctor-wiring-company = { $chat } is wired to { $group }, which works for another company than the first agent there, and hears nothing. Run: { $command } wirings remove { $id } { $group }
doctor-pattern = { $group } takes up nothing in { $chat }. { $said } Run: { $command } wirings set { $id } { $group } --pattern PATTERN
doctor-requests = { $count ->
        [one] One request waits
       *[other] { $count } requests wait
    } for a decision. Run: { $command } requests list

error-role-none = { $person } has no such role to be taken away.
error-pattern-unused = A pattern goes with --engage pattern, not with "{ $engage }". Leave one of the two out.

# Whether the audit is still what was written (nanoclaw audit verify)

help-audit-verify = Check that the audit log and the companies' decisions have not been altered. Exits with 1 if they have.
chain-whole = The audit is as it was written: { $rows ->
        [0] it is empty.
        [one] one row, with the hash { $end }
       *[other] { $rows } rows; the hash of the last: { $end }
    }
chain-changed = Row { $seq } of the audit ({ $id }) does not follow from the one before it: one of the two was changed.
chain-missing = { $count ->
        [one] Row { $seq } of the audit is missing.
       *[other] Rows { $seq } to { $until } of the audit are missing.
    }
chain-order = Row { $seq } of the audit ({ $id }) is not in its place: it was written later.
chain-cut = The end of the audit was cut off: { $count ->
        [one] row { $seq } is missing.
       *[other] rows { $seq } to { $until } are missing.
    }
chain-head = The end of the audit, row { $seq }, is not the one that was noted: the row, or the table audit_head, was changed.
chain-remedy = The rows before it are as they were written; those behind it were not looked at. Someone has changed the database by other means than this host. Go back to a backup with `{ $command } restore FILE`, and compare what was decided since then with the files companies/*/memory/decisions.jsonl.
recorded-whole = { $count ->
        [0] No question was asked yet.
        [one] One question and the decisions of the companies agree.
       *[other] { $count } questions and the decisions of the companies agree.
    }
recorded-payload = Question { $question } of the company { $company }: what the database says was asked is not what was asked.
recorded-chain = { $question } of { $company }: the audit says something else of how it ended than the database.
recorded-missing = The decision on question { $question } was written into companies/{ $company }/memory/decisions.jsonl, and is not there any more.
recorded-file = companies/{ $company }/memory/decisions.jsonl cannot be read ({ $said }).
recorded-more = And { $count } more; --json lists them all.
recorded-remedy = Put the file back from a backup, or the lines as a backup has them; what the database says: { $command } decisions

# Questions to people (nanoclaw inbox, decide, ask, decisions, permits)

help-inbox = Questions waiting for a decision: what is asked, the choices, and the deadline.
help-inbox-cancel = Withdraw a question. Nothing is decided.
help-inbox-again = Ask a question again that ran out of time.
help-question = Id of the question, or its last five letters, as shown in the list.
help-decide = Answer a question: with the id, number or label of an option, or in words where it takes them.
help-option = Id, number or label of the option.
help-decide-text = Your answer in words; together with an option: a comment.
help-ask = Ask people, wait, and print the answer.

    The exit code is the place of what was chosen: the first option 0, the second 1, and so on; 0 for an answer in words. 124: nobody answered in time, and there is no default. 125: it was not asked. 130: it was taken back, as by Ctrl-C.
help-ask-question = What people will read; it must make sense on its own.
help-ask-options = The choices: yes,no or yes=Deploy now,no=Not yet. Labels have at most 20 characters. Default: approve,reject.
help-ask-timeout = How long to wait: 30m, 2h, 1d. Default: as in the settings.
help-ask-default = The option taken if nobody answers. With --risk you can leave it out: an option to cancel is then added and taken.
help-ask-risk = normal, publish or destructive. For destructive, two people have to agree if at least three may decide.
help-ask-context = Background for the decision.
help-ask-context-file = A file with background for the decision.
help-ask-input = Let people answer in their own words.
help-ask-group = Agent group whose people are asked; default: the main one.
help-ask-id = An id of your own: asking again under the same id continues the same question.
help-decisions = How questions were answered, newest first: who chose what, when, from where and how fast.
help-decisions-before = Only questions asked before this one.
help-decisions-figures = How fast people decide, and how often nobody does: overall, by kind and by skill.
help-decisions-days = How many days to look back.
help-decisions-show = Everything about one question: exactly what people saw, and its hash.
help-permits = What agents may do with tools without asking again.
help-permits-revoke = Revoke a permit.
help-permit = Id of the permit, or its last five letters, as shown in the list.

inbox-context-more = … { $count ->
        [one] one more line
       *[other] { $count } more lines
    }: { $command } decisions show { $id }
inbox-document = Document: { $name }
inbox-risk = Risk: { $risk }
inbox-votes = { $needed } people have to agree. So far: { $given }
inbox-until = In { $left }, at { $time }, by itself: { $default }
inbox-until-nothing = In { $left }, at { $time }, it ends without a decision.
inbox-asker = Asked by { $who }
asker-pipeline = the pipeline "{ $title }"
asker-memory = the company's memory
asker-context = the company's context
asker-interview = the interview
asker-handoff = a handoff
asker-batch = a batch
asker-batch-output = a batch
asker-versions = the shared workspace
inbox-asker-program = Asked by a program of this machine, for { $group }
inbox-not-yours = This is for others to decide.
inbox-how = Decide with: { $command } decide { $id } NUMBER
inbox-how-words = Answer with: { $command } decide { $id } --text "..."
inbox-cancelled = { $id } was taken back. Nothing is decided.

decisions-none = Nothing has been decided yet.
decision-open = still open
decision-made = { $label } · { $name }, from: { $via }, after { $took }
decision-default = { $label } · by default, nobody decided in { $took }
decision-none = nothing · nobody decided in { $took }
decision-cancelled = taken back after { $took } · { $name }
decision-failed = it came to nothing after { $took }: { $said }
decision-asked = Asked at { $time }
decision-payload = Exactly this was asked:
decision-hash = SHA-256: { $hash }
figures-none = No question has ended in the last { $days ->
        [one] day.
       *[other] { $days } days.
    }
figures-head = Questions that ended in the last { $days ->
        [one] day
       *[other] { $days } days
    }: { $asked }. Times are those until a person decided.
figures-all = all
figures-kind = kind { $name }
figures-skill = skill { $name }
figures-column-of = of
figures-column-asked = asked
figures-column-answered = answered
figures-column-rate = timed out
figures-column-mean = mean
figures-column-median = median
figures-plot-median = Median time until a person decided
figures-plot-rate = Share that timed out
permit-row = { $id }  { $group }: { $tool }  { $what }  ({ $scope ->
        [once] once
        [session] in one session
       *[always] always
    }, by { $name }, until { $until })
permit-gone = The permit { $id } is taken back: agents ask again.

ask-waiting = Asked as { $id }. Waiting for an answer until { $time }; Ctrl-C takes the question back.
ask-default = Nobody answered in time. The default is taken: { $label }
ask-timeout = Nobody answered in time, and nothing was decided.
ask-cancelled = The question was taken back; nothing was decided.
ask-failed = The question came to nothing: { $said }

chat-choices-unknown = No button has the number /{ $number }. You can press:{ $known }
chat-choices-none = No card here has buttons now, so /{ $number } was not sent. `/inbox` shows what waits for you.
chat-plan-how = { $can ->
        [both] Type a number or an answer of your own. Or: { $words }
        [numbers] Type a number. Or: { $words }
        [choice] Type a number.
        [words] Type your answer. Or: { $words }
       *[none] Type: { $words }
    }
chat-question = ❓ { $question }
    { $choices }
chat-question-session = 🧑‍💻 { $question }
    `nanoclaw session open { $id }`
chat-question-words = ❓ { $question }
    `/decide { $id } …`

error-host-other = The host that runs here is of another version than this program. Restart it: stop it, then { $command } up
error-decide-what = Name an option, or write an answer with --text. The options are in: { $command } inbox
error-context-unread = { $file } cannot be read: { $said }.
error-ask-question-empty = The question is empty. Write what people are to read.
error-ask-question-long = The question has { $length } characters; at most { $most } are allowed. Put the rest into --context.
error-ask-context-long = The context (--context or --context-file) has { $length } characters; at most { $most } are allowed. Shorten it.
error-ask-risk-unknown = --risk { $risk } is none of: { $known }.
error-ask-timeout-range = --timeout must be between { $least } and { $most }.
error-ask-option-empty = --options has an empty choice. Write them like this: yes,no or yes=Deploy now,no=Not yet. Left out: approve,reject.
error-ask-options-count = --options names { $count ->
        [one] one choice
       *[other] { $count } choices
    }; it needs { $fewest } to { $most }.
error-ask-option-twice = --options names "{ $option }" twice: give each choice its own name.
error-ask-label-long = The choice "{ $text }" in --options has { $length } characters; at most { $most } are allowed. Shorten it.
error-ask-id-long = The id "{ $text }" in --options has { $length } characters; at most { $most } are allowed. Shorten it.
error-ask-default-unknown = --default { $default } is none of the choices. There are: { $known }.
error-ask-default-words = --default { $default } is no choice: an answer in words has none. Leave --default out, or name choices with --options.
error-ask-default-first = With --risk { $risk } the first choice is what is done when someone agrees, so "{ $default }" cannot be what is done when nobody answers. Leave --default out: a choice that cancels is added, and taken.
error-ask-default-harm = With --risk { $risk } only what does no harm may be done when nobody answers, and "{ $default }" may do harm. Use --default { $known }, or leave it out.
error-decide-words = This question has no choices: answer it in words. Write: { $command } decide { $id } --text "..."
error-no-such-decision = There is no question { $id }, neither decided nor open. What was decided: { $command } decisions
span-fraction = { $count ->
        [one] a second
       *[other] { $count } seconds
    }

# The Python API (nanoclaw.human)

error-nobody-answered = Nobody answered "{ $question }" in time, and it has no default.
error-question-cancelled = The question "{ $question }" was taken back; nothing was decided.
error-session-failed = The session came to nothing: { $said }
error-session-pending = This session waits for its end already. Use another InteractiveSession, or cancel this one first.
recorded-line = Line { $line } of companies/{ $company }/memory/decisions.jsonl is about question { $question }, and is not what the database says: { $said }.
recorded-twice = Line { $line } of companies/{ $company }/memory/decisions.jsonl is about question { $question }, and so is an earlier line. Take the one away that a backup does not have.
