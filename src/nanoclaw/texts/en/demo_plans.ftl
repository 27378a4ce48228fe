# What the demo agent asks before it begins: a question in each line, its options, and `…` where own words are welcome.

demo-plan-cues-bug = need to fix | have to fix | fix the bug | fix a bug | auth bug | something is broken
demo-plan-cues-access = auth | jwt | log in | login | log-in | sign in | sign-in | password | oauth
demo-plan-access =
    What framework are you using? | Express | Fastify | Hono | …
    Where should the token live? | HttpOnly cookies | Local storage | Memory only
    Is there any authentication yet? | None, greenfield | Sessions | OAuth | …
demo-plan-access-1 =
    A cookie is sent by itself. What stops forged requests? | SameSite=Strict | A token in the form | Both
    Refresh tokens? | Yes, 7-day expiry | Yes, 30-day expiry | No
demo-plan-access-2 =
    Any script can read local storage. What protects it? | A strict CSP | Short lifetimes | Nothing yet | …
    Refresh tokens? | Yes, 7-day expiry | Yes, 30-day expiry | No
demo-plan-access-3 =
    A reload forgets the token. What happens then? | Log in again | Silent refresh | …
    How many devices at once? | One | As many as they like
demo-plan-bug =
    Where does it fail? | At log-in | At log-out | After a while | …
    Who is affected? | Everybody | Some people | Just me
    What may I change? | Only the bug | Tests too | Whatever helps
demo-plan-bug-1 =
    It hits everybody. How soon must it be fixed? | Right now | With the release
    Who should be told? | Customers | The team | Nobody
demo-plan-bug-2 =
    What do these people have in common? | The browser | The country | The kind of account | …
    Who should be told? | Customers | The team | Nobody
demo-plan-bug-3 =
    Can you make it happen again? | Always | Sometimes | No
    Since when? | Today | This week | Longer | …
demo-plan-any =
    Who is it for? | Customers | Colleagues | Just me | …
    How soon is it needed? | Today | This week | No hurry
    What matters most? | Quality | Speed | Low cost | …
demo-plan-any-1 =
    It is for today. What may be left out? | Tests | Documentation | Nothing | …
    Who looks at it before it is done? | I do | A colleague | Nobody
demo-plan-any-2 =
    When can you look at a first version? | Tomorrow | In three days | On Friday | …
    Who looks at it before it is done? | I do | A colleague | Nobody
demo-plan-any-3 =
    There is time. How should it begin? | With a sketch | With research | With one small part
    Who looks at it before it is done? | I do | A colleague | Nobody
demo-planned = The plan is settled. I am the demo and stop here; a real model would begin now, and this is all that it gets:
