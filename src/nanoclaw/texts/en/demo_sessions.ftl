# What the demo model says around interactive sessions

demo-session-asked = I asked for a session with you; its card is above, and in `/inbox`. Open it with `nanoclaw session open` or on the page under **Sessions**. I stop here and go on with what you conclude.
demo-session-decided = The session is concluded. The result: **{ $said }**. A real agent would go on with that now.
demo-session-nothing = The session ended without a result, so nothing is decided.
demo-session-hello = Hello! We are here to decide about this:

    > { $asked }

    I am the demo, so I only follow a script, but the session is real: it has a conversation of its own, and whoever asked waits for your conclusion. Try `$ ls -la` or `$ echo done > notes.md` (the change shows up under the files of the session). When you have made up your mind, leave with Ctrl-D and conclude, or use the form on the page. Nothing that you say here decides anything.
demo-session-talk = A real agent would look into that with you. I can run commands here (`$ ls -la`), and this is the proposal:

    ```python
    { $example }
    ```

    Conclude when you are ready: Ctrl-D in the terminal, the form on the page, or the buttons of the card.
