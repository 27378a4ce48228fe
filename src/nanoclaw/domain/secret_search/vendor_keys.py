"""Keys that are recognised by their own form: vendors' prefixes, private keys, webhooks, wallets.

All quantifiers are bounded, and each pattern begins with letters that few texts have: no text makes them slow.
"""

import re
from collections.abc import Iterator
from functools import cache

Span = tuple[int, int]

# In everything that one of the patterns could find. Most texts have none of it, and a host that never meets
# such a text never compiles them.
MAY_HOLD_KEY = re.compile(r"\S{20}|://|PRIVATE KEY|Private-Lines")

_KEYS = (
    # code
    r"gh[pousr]_\w{30,255}",
    r"github_pat_\w{22,255}",
    r"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas|ffct)-[\w.-]{16,1024}",
    r"GR1348941[\w-]{20,50}",
    r"ATATT3[\w=-]{40,300}|ATCTT3[\w=-]{40,300}|ATBB[A-Za-z0-9]{24,40}",
    r"npm_[A-Za-z0-9]{30,50}|pypi-[\w-]{30,300}|rubygems_[0-9a-f]{48}|cio[A-Za-z0-9]{32}",
    r"dckr_(?:pat|oat)_[\w-]{20,60}|SWM(?:TKN|KEY)-1-[\w-]{20,120}",
    r"bk[a-z]{2}_[0-9a-f]{40}|CCIPAT_\w{20,80}|sgp_(?:[0-9a-f]{16}_)?[0-9a-f]{40}|PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
    # models
    r"sk-(?:proj|ant|or|svcacct|admin|lf|live|test|None)-[\w-]{16,300}",
    r"(?=\w\w-[A-Za-z]{0,60}\d)(?:sk|rk)-[A-Za-z0-9]{16,100}|(?=\w\w-(?:[A-Za-z_-]{0,20}\d){4})(?:sk|rk)-[\w-]{16,200}",
    r"(?=\w{0,30}[0-9])(?:gsk|hf|r8)_(?!0[0-9a-hjkmnp-tv-z]{25}(?![A-Za-z0-9]))[A-Za-z0-9]{20,100}|(?=[\w-]{0,60}\d)(?:xai|pplx)-[A-Za-z0-9]{20,120}",
    r"lsv2_(?:pt|sk)_\w{32,80}|pcsk_\w{40,100}",
    # clouds
    r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])|ABSK[A-Za-z0-9+/=]{80,160}",
    r"AIza[\w-]{30,60}|ya29\.[\w.-]{20,400}|GOCSPX-[\w-]{20,60}|1//0[\w-]{30,120}",
    r"[\w~.-]{3}\dQ~[\w~.-]{31,34}",
    r"do[opr]_v1_[0-9a-f]{40,64}",
    r"dapi[0-9a-f]{32}(?:-\d)?|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,120}",
    r"hv[sbr]\.[\w-]{20,300}|(?=[a-z]\.\w{0,24}\d)(?=[a-z]\.\w{0,24}[A-Z])[sb]\.[A-Za-z0-9]{24}(?![\w.(])",
    r"HRKU-[\w-]{30,80}|nfp_[A-Za-z0-9]{30,60}|vc[apk]_\w{24,80}|cf(?:ut|at|k)_\w{30,80}",
    r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,160}",
    r"(?:fo1|fm1[ar]|fm2)_[\w+/=-]{20,600}|FlyV1 [\w+/=,-]{20,600}",
    r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,80}|pul-[0-9a-f]{40}",
    r"sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,60}|pscale_(?:tkn|pw|oauth)_[\w.-]{24,80}|napi_[a-z0-9]{40,80}",
    r"tskey-[a-z]{3,10}-[\w-]{16,80}|LTAI[A-Za-z0-9]{16,24}(?![A-Za-z0-9])|AKID[A-Za-z0-9]{32}|AQVN[\w-]{35,40}",
    r"gl(?:sa|c)_[\w+/=-]{24,200}|NR(?:AK|AA|RA|II|JS|SP)-[A-Za-z0-9-]{20,40}|[0-9a-f]{36}NRAL",
    r"sntry[su]_[\w+/=-]{30,300}|dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}|hcaik_[a-z0-9]{40,80}",
    # messages and work
    r"xox[abeoprs][.-][A-Za-z0-9.-]{10,250}|xapp-\d-[A-Za-z0-9-]{10,250}",
    r"\d{6,20}:(?=[\w-]{0,34}[A-Za-z])[\w-]{30,50}(?![\w-])",
    r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}|mfa\.[\w-]{84}",
    r"(?:SK|AC)[0-9a-f]{32}(?![0-9a-z])|SG\.[\w-]{16,30}\.[\w-]{16,60}",
    r"key-[0-9a-f]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])|[0-9a-z]{32}-us\d{1,2}(?!\w)",
    r"xkeysib-[0-9a-f]{64}-\w{16}|re_(?=\w{0,30}\d)[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,30}",
    r"lin_(?:api|oauth)_[A-Za-z0-9]{30,80}|(?=\w{0,40}\d)secret_[A-Za-z0-9]{40,50}|ntn_[A-Za-z0-9]{40,60}",
    r"fig[a-z]{1,2}_[\w-]{30,80}|pat[A-Za-z0-9]{14}\.[0-9a-f]{40,64}|pat-[a-z]{2}\d-[0-9a-f-]{36}",
    r"CFPAT-[\w-]{40,50}|tfp_[\w-]{40,80}|ops_eyJ[\w-]{40,2000}|sl\.(?=[\w-]{0,60}\d)[\w-]{60,300}",
    r"\d/\d{15,18}(?:/\d{15,18})?:[0-9a-f]{32}",
    # money
    r"(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9]{12,250}|whsec_[A-Za-z0-9+/=]{16,80}",
    r"shp(?:at|ss|ca|pa|tka)_[0-9A-Fa-f]{24,64}",
    r"sq0(?:csp|atp|idp)-[\w\\-]{20,60}|EAAA[\w-]{56,70}",
    r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}|access-(?:production|development|sandbox)-[0-9a-f-]{36}",
    r"rzp_(?:live|test)_[A-Za-z0-9]{14,30}|FLWSECK(?:_TEST)?-[\w-]{12,60}|EZ[AT]K[A-Za-z0-9]{54}",
    r"EAA(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{60,300}|AAAAAAAAAA[A-Za-z0-9%]{50,200}",
    r"sk_[0-9a-f]{48}|IGQV[\w-]{80,250}|y0_[\w-]{50,70}|t1\.[\w-]{40,300}\.[\w-]{80,90}|sq[upa]_[0-9a-f]{40}",
    r"AKCp[A-Za-z0-9]{60,80}|cmVmdGtu[A-Za-z0-9]{50,70}|(?:sdk|mob|api)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    r"[sp]k\.eyJ1[\w-]{30,200}\.[\w-]{20,30}|pk_\d{6,10}_[A-Z0-9]{32}|ATTA[0-9a-f]{64,80}|A3(?:-[A-Z0-9]{5,6}){6}",
    r"00D[A-Za-z0-9]{12,15}![\w.]{60,140}|AAAA[\w-]{7}:APA91b[\w-]{100,200}|os_v2_(?:app|org)_[a-z0-9]{60,120}",
    r"rdme_\w{60,80}|shippo_(?:live|test)_[0-9a-f]{40}|duffel_(?:live|test)_[\w-]{40,50}|fio-u-[\w-]{60,70}",
    r"live_[0-9a-f]{35}|mlsn\.[0-9a-f]{60,70}|oy2[a-z0-9]{43}|pnu_[A-Za-z0-9]{36}",
    r"CLOJARS_[0-9a-f]{60}|snyk_(?:uat|sat)\.[0-9a-f]{8}\.[\w-]{40,80}|e2b_[0-9a-f]{40}|fc-[0-9a-f]{32}(?![\w-])",
    r"waka_(?:sec_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|cal_[0-9a-f]{32}(?!\w)|ico-(?=\w{0,30}\d)[A-Za-z0-9]{32}",
    # anybody's who says so: `cal_live_...`, `polar_oat_...`
    r"(?:[a-z]{2,12}_){0,2}(?:live|prod|production|sandbox|sk|pat|oat|secret|token|apikey)_(?=[A-Za-z]{0,30}\d[A-Za-z]{0,30}\d)(?!0[0-9a-hjkmnp-tv-z]{25}(?![A-Za-z0-9]))[A-Za-z0-9]{24,200}",
    # wallets and files
    r"AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9]{1,20})-1[A-Z0-9]{50,300}",
    r"(?=[A-Za-z]{0,30}\d)[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9+/=])",
    r"[a-zA-Z]prv[1-9A-HJ-NP-Za-km-z]{95,112}|nsec1[a-z0-9]{58}",
    r"eyJ[\w=-]{8,4000}\.(?:eyJ[\w=-]{4,16000}|[\w=-]{20,16000})\.[\w+/=-]{0,16000}(?:\.[\w-]{1,16000}){0,2}",
    r"eyJrIjoi[\w=+/-]{40,200}",
    r"\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|[156y]\$[^\s:$]{0,40}\$[./A-Za-z0-9]{22,100}|apr1\$[^\s:$]{1,16}\$[./A-Za-z0-9]{22}|argon2id?\$[\w$=,+/.-]{40,200})",
)
# Their secret is a part of an address.
_ADDRESSES = (
    r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<a>[\w/-]{20,200})",
    r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(?P<b>\d{5,25}/[\w-]{20,120})",
    r"\.webhook\.office\.com/webhookb2/(?P<c>[\w@/-]{30,300})|outlook\.office(?:365)?\.com/webhook/(?P<d>[\w@/-]{30,300})",
    r"hooks\.zapier\.com/hooks/catch/(?P<e>[\w/]{6,60})|hook\.[a-z0-9.]{0,20}make\.com/(?P<f>[\w-]{20,60})",
    r"maker\.ifttt\.com/[\w/{}]{1,80}/key/(?P<g>[\w-]{20,80})|open\.(?:feishu|larksuite)\.\w{2,3}/open-apis/bot/v2/hook/(?P<h>[\w-]{20,60})",
    r"otpauth://[^\s\"'<>]{0,200}?secret=(?P<i>[A-Za-z2-7=]{8,128})|otpauth-migration://offline\?data=(?P<j>[\w%+/=-]{16,2000})",
)
_PRIVATE_KEY = re.compile(
    r"-----?\s?BEGIN (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)\s?-----?.*?"
    r"(?:-----?\s?END [^-]{1,60}-----?|\Z)"
    r"|Private-Lines: \d+.*?(?:Private-(?:MAC|Hash): [0-9a-f]{1,128}|\Z)",
    re.S,
)
_LONG_WORD = re.compile(r"(?:FlyV1 )?\S{16,}")  # no key has fewer letters, and few words of prose as many
_TOKEN_LETTERS = re.compile(r"[\w+/=-]{0,4096}", re.A)


def vendor_spans(text: str) -> Iterator[Span]:
    if not MAY_HOLD_KEY.search(text):
        return
    words = (word.span() for word in _LONG_WORD.finditer(text))
    for found in (each for span in words for each in _keys().finditer(text, *span)):
        rest = _TOKEN_LETTERS.match(text, found.end())
        is_joined = rest is not None and "/" not in rest[0] and text[rest.end() : rest.end() + 1] != "@"
        yield found.start(), rest.end() if rest and is_joined else found.end()
    if "://" in text or "hook" in text:
        for found in _addresses().finditer(text):
            yield found.span(found.lastgroup or 0)


def private_keys(text: str) -> Iterator[Span]:
    """From head to end, or to the end of the text: half a key is a secret too."""
    if "PRIVATE KEY" in text or "Static key" in text or "Private-Lines" in text:
        yield from (found.span() for found in _PRIVATE_KEY.finditer(text))


def patterns() -> list[str]:
    return [*_KEYS, *_ADDRESSES]


@cache
def _keys() -> re.Pattern[str]:
    return re.compile(rf"(?:(?<![A-Za-z0-9])|(?<=/bot))(?:{'|'.join(_KEYS)})", re.A)


@cache
def _addresses() -> re.Pattern[str]:
    return re.compile("|".join(_ADDRESSES), re.A | re.I)
