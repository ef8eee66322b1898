// Comma- or tab-separated text as rows (RFC 4180, and what spreadsheets write).

const MAX_ROWS = 20000;
const MAX_COLUMNS = 60;

// One field from `at` on: {value, next}, where `next` is its end.
function readField(text, at, separator) {
  if (text[at] !== '"') {
    let next = at;
    while (next < text.length && text[next] !== separator && text[next] !== '\n' && text[next] !== '\r')
      next++;
    return {value: text.slice(at, next), next};
  }
  let value = '';
  let next = at + 1;
  for (;;) {
    const quote = text.indexOf('"', next);
    if (quote < 0)
      return {value: value + text.slice(next), next: text.length};
    value += text.slice(next, quote);
    if (text[quote + 1] !== '"')
      return {value, next: quote + 1};
    value += '"';
    next = quote + 2;
  }
}

// {rows, cut}: the first row has the names of the columns.
export function parseCsv(text, separator = ',') {
  const rows = [];
  let row = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at < text.length && rows.length < MAX_ROWS) {
    const {value, next} = readField(text, at, separator);
    if (row.length < MAX_COLUMNS)
      row.push(value);
    at = next;
    if (text[at] === separator) {
      at++;
      continue;
    }
    while (at < text.length && text[at] !== '\n' && text[at] !== '\r')
      at++; // what stands behind a closing quote
    at += text.startsWith('\r\n', at) ? 2 : 1;
    rows.push(row);
    row = [];
  }
  if (row.length)
    rows.push(row);
  return {rows, cut: at < text.length};
}
