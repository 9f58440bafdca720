import type { RenderContext } from './render.ts';

/** For tests: templates that try to exhaust time or memory, or to reach files or prototypes. Each must end within 1 s. */
const nested = (open: string, inside: string, close: string, depth: number) =>
  open.repeat(depth) + inside + close.repeat(depth);
const doubled = (expression: string, times: number) =>
  `{% assign a = "xxxxxxxxxx" %}${expression.repeat(times)}{{ a }}`;

export const hostileTemplates: Record<string, string> = {
  'range of 1e9': '{% for i in (1..1000000000) %}{{ i }}{% endfor %}',
  'range of 1e9, empty body': '{% for i in (1..1000000000) %}{% endfor %}',
  'range of 1e308': '{% for i in (1..1e308) %}x{% endfor %}',
  'range from a huge property': '{% for i in (1..contact.huge) %}x{% endfor %}',
  'range as output': '{{ (1..1000000000) }}',
  'range as argument': '{{ "a" | append: (1..100000000) }}',
  'range in a condition': '{% if (1..900000000) contains 5 %}x{% endif %}',
  'two nested ranges': '{% for i in (1..30000) %}{% for j in (1..30000) %}x{% endfor %}{% endfor %}',
  'two nested empty ranges': '{% for i in (1..1000) %}{% for j in (1..1000) %}{% endfor %}{% endfor %}',
  'nine nested ranges': nested('{% for i in (1..10) %}', '{{ i }}', '{% endfor %}', 9),
  'fifty nested short ranges': nested('{% for i in (1..2) %}', 'x', '{% endfor %}', 50),
  'nested loops over given arrays': nested('{% for i in event.items %}', '{{ i.name }}', '{% endfor %}', 8),
  'reversed copies in nested loops': `{% assign a = contact.long | split: "" %}${nested('{% for x in a reversed %}', 'x', '{% endfor %}', 100)}`,
  'loop with a huge body': `{% for i in (1..100000) %}${'y'.repeat(100_000)}{% endfor %}`,
  'loop over loop limit': '{% for i in (1..100000) limit: 99999 offset: 1 %}{{ contact.long }}{% endfor %}',
  'append doubling': doubled('{% assign a = a | append: a %}', 60),
  'prepend doubling': doubled('{% assign a = a | prepend: a %}', 60),
  'capture doubling': doubled('{% capture a %}{{ a }}{{ a }}{% endcapture %}', 60),
  'capture doubling by raw': doubled('{% capture a %}{{ a | raw }}{{ a | raw }}{% endcapture %}', 60),
  'replace of each character': doubled('{% assign a = a | replace: "x", "xxxxxxxxxx" %}', 20),
  'replace of nothing': doubled('{% assign a = a | replace: "", a %}', 20),
  'replace by a long text': '{{ contact.long | replace: "a", contact.long }}',
  'split and join':
    '{% assign a = "x" %}{% for i in (1..99) %}{% assign a = a | split: "" | join: "xxxxxxxx" %}{% endfor %}',
  'join by a long text': '{{ contact.long | split: "" | join: contact.long }}',
  'concat doubling': `{% assign a = "x,y" | split: "," %}${'{% assign a = a | concat: a %}'.repeat(60)}{{ a | size }}`,
  'push into itself': `{% assign a = "x" | split: "," %}${'{% assign a = a | push: a %}'.repeat(60)}{{ a }}`,
  'sort of long equal beginnings': `{% assign a = contact.long | append: "1" %}{% assign b = contact.long | append: "2" %}{% assign l = "x" | split: "y" | concat: a | concat: b %}${'{% assign l = l | concat: l %}'.repeat(17)}{{ l | sort | size }}`,
  'sort in a loop':
    '{% assign a = contact.long | split: "" %}{% for i in (1..1000) %}{% assign b = a | sort %}{% endfor %}',
  'sort_natural in a loop':
    '{% assign a = contact.long | split: "" %}{% for i in (1..99) %}{% assign b = a | sort_natural %}{% endfor %}',
  'uniq in a loop':
    '{% assign a = contact.long | split: "" %}{% for i in (1..9999) %}{% assign b = a | uniq %}{% endfor %}',
  'map and where in a loop':
    '{% for i in (1..9999) %}{{ event.items | where: "name", "x" | map: "name" | join }}{% endfor %}',
  'json in a loop': '{% for i in (1..100000) %}{{ event | json }}{% endfor %}',
  'strftime padding': '{{ "now" | date: "%999999999Y" }}',
  'strftime padding with N': '{{ "now" | date: "%999999999N" }}',
  'long date format': '{{ "now" | date: contact.long }}',
  'dates in a loop': '{% for i in (1..100000) %}{{ "now" | date: "%A %B %c %x %X %Z", "Europe/Berlin" }}{% endfor %}',
  'date of a long text': '{{ contact.long | date: "%Y" }}',
  'bad time zone': '{{ "now" | date: "%H", "Nowhere/Never" }}',
  'slice of a huge length': '{{ contact.long | slice: 0, 1000000000000 }}',
  'truncate of a huge length': '{{ contact.long | truncate: 1000000000000, contact.long }}',
  'words of only spaces':
    '{% for i in (1..999) %}{{ contact.spaces | truncatewords: 2 }}{{ contact.spaces | strip }}{% endfor %}',
  'strip_html of open tags': '{% for i in (1..999) %}{{ contact.angles | strip_html }}{% endfor %}',
  'strip_html of scripts': '{{ contact.scripts | strip_html }}{{ contact.comments | strip_html }}',
  'newlines in a loop': '{% for i in (1..9999) %}{{ contact.newlines | newline_to_br }}{% endfor %}',
  'url_encode tripling': doubled('{% assign a = a | append: "%" | url_encode %}', 60),
  'url_decode of nonsense': '{{ "%E0%A4%A" | url_decode }}',
  'huge numbers': '{{ 1e308 | times: 1e308 | round: 99999999 | plus: contact.huge | modulo: 0 | divided_by: 0 }}',
  'deep if above the tag limit': nested('{% if contact %}', 'x', '{% endif %}', 12_000),
  'deep if below the tag limit': nested('{% if contact %}', 'x', '{% endif %}', 9_000),
  'deep case': nested('{% case contact %}{% when empty %}', 'x', '{% endcase %}', 6_000),
  'deep brackets': `{{ ${'contact['.repeat(25_000)}1${']'.repeat(25_000)} }}`,
  'deep dots': `{{ contact${'.a'.repeat(200_000)} }}`,
  'long filter chain': `{{ contact.long ${'| upcase '.repeat(40_000)} }}`,
  'long condition': `{% if contact ${'and contact '.repeat(40_000)} %}x{% endif %}`,
  'long when': `{% case contact %}{% when ${'1,'.repeat(200_000)}1 %}x{% endcase %}`,
  'many elsif': `{% if false %}${'{% elsif false %}'.repeat(19_000)}{% endif %}`,
  'many tags': '{{ contact.email }}'.repeat(19_000),
  'far too many tags': '{{a}}'.repeat(100_000),
  'longer than allowed': 'x'.repeat(600_000),
  'cycle of many': `{% for i in (1..9999) %}{% cycle ${'"a",'.repeat(20_000)}"b" %}{% endfor %}`,
  'unclosed outputs': '{{ "'.repeat(100_000),
  'unclosed raw': `{% raw %}${'{% '.repeat(150_000)}`,
  'unclosed comment': `{% comment %}${'{% x %}'.repeat(15_000)}`,
  'unclosed for': '{% for i in event.items %}',
  'include of a file': '{% include "/etc/passwd" %}',
  'render of a file': '{% render "../../../../package.json" %}',
  'layout of a file': '{% layout "/etc/passwd" %}{% block a %}{% endblock %}',
  'constructor of a string': '{{ contact.email.constructor.constructor }}{{ "a".constructor }}',
  '__proto__ chain':
    '{{ contact.__proto__.polluted }}{{ contact["__proto__"]["toString"] }}{% assign __proto__ = contact %}',
  'assignment to prototypes':
    '{% assign constructor = "x" %}{% capture __proto__ %}x{% endcapture %}{{ constructor.name }}',
  'getters of built-ins':
    '{{ contact.toString }}{{ contact.valueOf }}{{ event.items.map }}{{ process.env }}{{ globalThis }}',
  'toString that is no function': '{{ contact.tricky }}{{ contact.tricky | upcase }}{{ contact.tricky | append: "x" }}',
  'evaluating filters': '{{ event.items | where_exp: "i", "i.name | append: i.name" }}',
  'unknown filter': '{{ contact.email | exec: "ls" }}',
  'unknown tag': '{% system "ls" %}',
  'counters in the context': '{% increment contact %}{% decrement event %}',
};

/** The context of these templates; frozen, so that a write to it is detected. */
export function hostileContext(): RenderContext {
  return deepFreeze({
    contact: {
      email: 'ann@example.com',
      huge: 1e12,
      long: 'a'.repeat(200_000),
      spaces: ' '.repeat(100_000),
      angles: '<'.repeat(100_000),
      scripts: '<script'.repeat(30_000),
      comments: '<!--'.repeat(50_000),
      newlines: '\r\n'.repeat(50_000),
      tricky: JSON.parse('{"toString": 1, "valueOf": 2, "then": 3, "toLiquid": 4}'),
    },
    event: { items: Array.from({ length: 50 }, (_, index) => ({ name: `item ${index}`, price: index })) },
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
