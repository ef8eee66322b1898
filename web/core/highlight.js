// Colours for code: a scanner for comments, strings, numbers and words, by a table of
// languages. It yields nodes, and no colours above MAX_CHARACTERS.

import {add, el, visible} from './dom.js';

const MAX_CHARACTERS = 50000;

const C_WORDS = 'auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false NULL nullptr';
const JS_WORDS = 'async await break case catch class const continue default delete do else export extends finally for from function get if import in instanceof let new null of return set static super switch this throw true false try typeof undefined var void while with yield';

// line, block: comments; quotes: what begins and ends a string; words: keywords
const C_LIKE = {line: '//', block: ['/*', '*/'], quotes: '"\''};
const HASH = {line: '#', quotes: '"\''};
const LANGUAGES = {
  c: {...C_LIKE, words: C_WORDS, hash: true},
  cpp: {...C_LIKE, hash: true, words: C_WORDS + ' class namespace template typename public private protected virtual override new delete this using try catch throw constexpr noexcept operator friend'},
  java: {...C_LIKE, words: 'abstract boolean break byte case catch char class continue default do double else enum extends final finally float for if implements import instanceof int interface long new null package private protected public return short static super switch synchronized this throw throws true false try var void while record'},
  js: {...C_LIKE, quotes: '"\'\x60', words: JS_WORDS},
  ts: {...C_LIKE, quotes: '"\'\x60', words: JS_WORDS + ' abstract any as boolean declare enum implements interface keyof namespace never number private protected public readonly string type unknown'},
  go: {...C_LIKE, quotes: '"\x60\'', words: 'break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false string int error bool byte'},
  rust: {...C_LIKE, quotes: '"', words: 'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while'},
  py: {...HASH, triple: true, words: 'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield self match case'},
  rb: {...HASH, words: 'alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield'},
  sh: {...HASH, words: 'case do done elif else esac fi for function if in select then until while cd echo exit export local return set source trap unset'},
  sql: {line: '--', block: ['/*', '*/'], quotes: '\'"', fold: true, words: 'add all alter and as asc between by case commit create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null on or order outer primary references right rollback select set table then union unique update using values view when where with'},
  json: {quotes: '"', words: 'true false null'},
  yaml: {...HASH, words: 'true false null yes no on off'},
  toml: {...HASH, words: 'true false'},
  css: {block: ['/*', '*/'], quotes: '"\'', words: 'important media import supports keyframes'},
  html: {block: ['<!--', '-->'], quotes: '"\'', words: ''},
  make: {...HASH, words: 'ifeq ifneq ifdef ifndef else endif include define endef export override'},
  lua: {line: '--', quotes: '"\'', words: 'and break do else elseif end false for function goto if in local nil not or repeat return then true until while'},
  php: {...C_LIKE, words: 'abstract array as break case catch class const continue default do echo else elseif extends final finally fn for foreach function global if implements interface namespace new null private protected public return static switch this throw true false try use var while'},
  swift: {...C_LIKE, quotes: '"', words: 'as async await break case catch class continue default defer do else enum extension false for func guard if import in init inout is let nil private protocol public return self static struct super switch throw throws true try var where while'},
};
const NAMES = {h: 'c', cc: 'cpp', 'c++': 'cpp', cxx: 'cpp', hpp: 'cpp', cs: 'java', kt: 'java', kotlin: 'java', scala: 'java', dart: 'java',
  javascript: 'js', jsx: 'js', mjs: 'js', cjs: 'js', node: 'js', typescript: 'ts', tsx: 'ts', golang: 'go', rs: 'rust',
  python: 'py', python3: 'py', ruby: 'rb', bash: 'sh', zsh: 'sh', shell: 'sh', console: 'sh', fish: 'sh', dockerfile: 'sh',
  jsonc: 'json', json5: 'json', jsonl: 'json', yml: 'yaml', ini: 'toml', conf: 'toml', scss: 'css', less: 'css',
  xml: 'html', svg: 'html', vue: 'html', makefile: 'make', mk: 'make', psql: 'sql', sqlite: 'sql'};

const prepared = new Map();

function prepare(name) {
  const key = NAMES[name] || name;
  if (!prepared.has(key)) {
    const l = Object.hasOwn(LANGUAGES, key) ? LANGUAGES[key] : null;
    prepared.set(key, l && {...l, set: new Set(l.words.split(' '))});
  }
  return prepared.get(key);
}

// The language of a file, by its name.
export function languageOf(path) {
  const name = String(path || '').split('/').pop().toLowerCase();
  const key = name === 'makefile' || name === 'dockerfile' ? name : name.split('.').pop();
  return prepare(key) ? key : '';
}

function stringEnd(code, at, language) {
  const quote = code[at];
  if (language.triple && code.startsWith(quote.repeat(3), at)) {
    const end = code.indexOf(quote.repeat(3), at + 3);
    return end < 0 ? code.length : end + 3;
  }
  for (let i = at + 1; i < code.length; i++) {
    if (code[i] === '\\')
      i++;
    else if (code[i] === quote)
      return i + 1;
    else if (code[i] === '\n' && quote !== '\x60')
      return i;
  }
  return code.length;
}

function lineEnd(code, at) {
  const end = code.indexOf('\n', at);
  return end < 0 ? code.length : end;
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /0x[\da-f]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?[a-z]*/iy;

function match(re, code, at) {
  re.lastIndex = at;
  const found = re.exec(code);
  return found ? found[0] : '';
}

// {kind, end} of what begins at `at`; null: nothing that has a colour.
function token(code, at, l) {
  const c = code[at];
  if (l.line && code.startsWith(l.line, at) && (l.line !== '#' || at === 0 || /\s/.test(code[at - 1])))
    return {kind: 'comment', end: lineEnd(code, at)};
  if (l.block && code.startsWith(l.block[0], at)) {
    const end = code.indexOf(l.block[1], at + l.block[0].length);
    return {kind: 'comment', end: end < 0 ? code.length : end + l.block[1].length};
  }
  if (l.hash && c === '#' && /^\s*$/.test(code.slice(code.lastIndexOf('\n', at - 1) + 1, at)))
    return {kind: 'meta', end: at + (match(/#\s*\w*/y, code, at).length || 1)};
  if (l.quotes.includes(c))
    return {kind: 'string', end: stringEnd(code, at, l)};
  const word = match(WORD, code, at);
  if (word) {
    const known = l.set.has(l.fold ? word.toLowerCase() : word);
    const kind = known ? 'keyword' : code[at + word.length] === '(' ? 'call' : null;
    return {kind, end: at + word.length};
  }
  const number = /\d/.test(c) ? match(NUMBER, code, at) : '';
  return number ? {kind: 'number', end: at + number.length} : null;
}

export function highlight(code, language) {
  const fragment = document.createDocumentFragment();
  code = String(code ?? '');
  const l = language && code.length <= MAX_CHARACTERS ? prepare(language.toLowerCase()) : null;
  if (!l) {
    add(fragment, visible(code));
    return fragment;
  }
  let from = 0;
  for (let at = 0; at < code.length;) {
    const t = token(code, at, l);
    if (t && t.kind) {
      if (from < at)
        add(fragment, visible(code.slice(from, at)));
      add(fragment, el('span', {class: `hl-${t.kind}`}, visible(code.slice(at, t.end))));
      from = t.end;
    }
    at = t ? Math.max(t.end, at + 1) : at + 1;
  }
  if (from < code.length)
    add(fragment, visible(code.slice(from)));
  return fragment;
}
