"""What all pages are built with: Markdown, terminal text, code, long lists."""
from world import case

MODULE = """
const done = arguments[arguments.length - 1];
const base = document.querySelector('link[rel=stylesheet]').href
    .replace('style.css', '');
const args = arguments;
import(base + 'core/' + args[0] + '.js').then(async (m) => {
    const box = document.createElement('div');
    %s
}).catch((error) => done('failed: ' + error));
"""


def in_module(w, name, body, *args):
    """Run a function's body with a module as `m`; it calls done(value)."""
    return w.browser.post("/execute/async", {"script": MODULE % body,
                                             "args": [name] + list(args)})


def html(w, module, function, *args):
    return in_module(w, module, """
        box.append(m[args[1]](...args[2]));
        done(new XMLSerializer().serializeToString(box)
            .replace(/^<div xmlns="[^"]*">|<\\/div>$/g, ''));
        """, function, list(args))


# Shapes of CommonMark and GitHub's tables, task lists and strikethrough.
MARKDOWN = [
    ("a\nb", "<p>a\nb</p>"),
    ("a  \nb\\\nc", "<p>a<br />b<br />c</p>"),
    ("*a* **b** ***c*** ~~d~~", "<p><em>a</em> <strong>b</strong> "
     "<em><strong>c</strong></em> <del>d</del></p>"),
    ("snake_case_word __b__ _c_", "<p>snake_case_word <strong>b</strong> "
     "<em>c</em></p>"),
    ("**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>"),
    ("2 * 3 * 4 \\*a\\*", "<p>2 * 3 * 4 *a*</p>"),
    ("`a*b*` ``c`d``", "<p><code>a*b*</code> <code>c`d</code></p>"),
    ("# One\n### Three ###", '<h3 class="md-h1">One</h3>'
     '<h5 class="md-h3">Three</h5>'),
    ("One\n===\nTwo\n---", '<h3 class="md-h1">One</h3>'
     '<h4 class="md-h2">Two</h4>'),
    ("a\n\n---\n\nb", "<p>a</p><hr /><p>b</p>"),
    ("- a\n- b\n  - c", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"),
    ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
    ("- a\n\n  b", "<ul><li><p>a</p><p>b</p></li></ul>"),
    ("> a\nb\n\n> c", "<blockquote><p>a\nb</p></blockquote>"
     "<blockquote><p>c</p></blockquote>"),
    ("<b>x</b> &lt; &#65; &nothing;", "<p>&lt;b&gt;x&lt;/b&gt; &lt; A "
     "&amp;nothing;</p>"),
    ("[a](javascript:x)", '<p><span class="md-no-link" title="javascript:x">'
     'a</span></p>'),
    ("[a](/etc) [b]", '<p><span class="md-no-link" title="/etc">a</span> '
     '[b]</p>'),
]


@case
def markdown_becomes_nodes(w):
    w.open("/sessions")
    for text, wanted in MARKDOWN:
        w.same(wanted, html(w, "markdown", "markdown", text), repr(text))
    got = html(w, "markdown", "markdown", "see https://a.b/c_d). [x](http://y "
               "\"z\") <http://q> ![p](http://r/s.png)")
    w.same(4, got.count('rel="noopener noreferrer nofollow"'), got)
    w.yes("https://a.b/c_d\"" in got and "<img" not in got, got)
    got = html(w, "markdown", "markdown", "| a | b |\n|:-:|--:|\n| `x` | 1 |")
    w.yes('<th class="align-center">a</th>' in got and
          '<td class="align-right">1</td>' in got, got)
    got = html(w, "markdown", "markdown", "- [x] a\n- [ ] b")
    w.same((2, 1), (got.count("checkbox"), got.count("checked")), got)
    got = html(w, "markdown", "markdown", "~~~py\ndef f():\n~~~\nend")
    w.yes('<span class="hl-keyword">def</span>' in got and "<p>end</p>" in got,
          got)


@case
def markdown_takes_no_time_for_what_attacks_it(w):
    w.open("/sessions")
    for text, n in (("*a ", 20000), ("*a **b _c ", 6000), ("[", 50000),
                    ("[](", 15000), ("`a``b", 10000), ("> ", 20000),
                    ("- ", 20000), ("a\n", 30000), ("```\n", 10000),
                    ("&", 50000), ("# " + " " * 50000 + "\n", 4)):
        ms = in_module(w, "markdown", """
            const from = performance.now();
            m.markdown(args[1].repeat(args[2]));
            done(performance.now() - from);""", text, n)
        w.yes(ms < 5000, "%r: %s ms" % (text[:12], ms))


@case
def controls_are_shown_in_content_and_left_out_of_names(w):
    w.open("/sessions")
    text = "a\u202eb\u200bc\x07d"
    w.same("a\u27e8U+202E\u27e9b\u27e8U+200B\u27e9c\u2407d",
           in_module(w, "dom", "done(m.visible(args[1]));", text), "content")
    w.same("abcd", in_module(w, "dom", "done(m.plain(args[1]));", text),
           "a name")
    w.same(None, in_module(w, "dom", "done(m.el('a', {href: args[1]})"
                           ".getAttribute('href'));", "javascript:x"), "a link")


@case
def terminal_text_has_colours_and_no_escapes(w):
    w.open("/sessions")
    got = html(w, "ansi", "ansi", "\x1b[1;31mred\x1b[0m \x1b[38;5;46mgreen"
               "\x1b[39m\x1b]8;;http://x\x07link\x1b]8;;\x07\x1b[2J"
               "10%\r100%\n")
    w.same('100%\n', got[-5:], "a line that is written again")
    got = html(w, "ansi", "ansi", "\x1b[1;31mred\x1b[0m \x1b[38;5;46mgreen"
               "\x1b[39m\x1b]8;;http://x\x07link\x1b[2J")
    w.same('<span class="t-bold t-fg1">red</span> '
           '<span class="t-fg10">green</span>link', got, "styles")


@case
def code_is_coloured(w):
    w.open("/sessions")
    got = html(w, "highlight", "highlight",
               "if (x == 0x1f) /* y */ return \"a\\\"b\"; // z", "c")
    for kind, text in (("keyword", "if"), ("number", "0x1f"),
                       ("comment", "/* y */"), ("string", '"a\\"b"'),
                       ("comment", "// z")):
        w.yes('<span class="hl-%s">%s</span>' % (kind, text) in got, got)
    w.same("x &lt; y", html(w, "highlight", "highlight", "x < y", "nothing"),
           "no such language")


@case
def a_long_list_draws_what_is_in_view(w):
    w.open("/sessions")
    got = in_module(w, "list", """
        Object.assign(box.style, {position: 'fixed', top: 0, left: 0,
                                  width: '300px', height: '400px'});
        document.body.append(box);
        const px = (i) => 20 + i % 7 * 10;
        const list = new m.VirtualList({host: box, count: 100000,
            render: (i) => {
                const node = document.createElement('div');
                node.style.height = px(i) + 'px';
                node.textContent = i;
                return node;
            }, estimate: () => 30, key: String});
        const seen = () => {
            const top = box.getBoundingClientRect().top;
            return Array.from(list.box.children).find((e) =>
                e.getBoundingClientRect().bottom > top + 1).textContent;
        };
        const out = [seen(), list.box.children.length < 80];
        list.scrollTo(50000);
        out.push(seen());
        list.scrollTo(99999, {align: 'end'});
        out.push(list.atEnd(), list.lastVisible());
        list.scrollTo(70000);
        const node = list.node(69999);
        node.style.height = '500px';
        await new Promise((r) => setTimeout(r, 200));
        out.push(seen());
        list.setCount(10);
        out.push(list.box.children.length);
        list.destroy();
        box.remove();
        done(out);""")
    w.same(["0", True, "50000", True, 99999, "70000", 10], got, "rows")
