// What the browser remembers: settings in localStorage. Nothing secret is kept there;
// the token is in sessionStorage (api.js).

const NAME = 'quire.settings';
const MAX_KEYS = 500;

function load() {
  try {
    const value = JSON.parse(localStorage.getItem(NAME));
    return new Map(Object.entries(value && typeof value === 'object' ? value : {}));
  } catch {
    return new Map();
  }
}

const values = load();

export const settings = {
  get(key, otherwise = null) {
    return values.has(key) ? values.get(key) : otherwise;
  },
  // The oldest keys go when there are too many: positions in sessions, mostly.
  set(key, value) {
    values.delete(key);
    if (value != null)
      values.set(key, value);
    for (const old of values.keys()) {
      if (values.size <= MAX_KEYS)
        break;
      values.delete(old);
    }
    try {
      localStorage.setItem(NAME, JSON.stringify(Object.fromEntries(values)));
    } catch {
      // Storage is full or forbidden: the setting holds until the page is closed.
    }
  },
};

// system, light or dark. What is drawn on a canvas listens to `themechange`.
export function theme(next) {
  if (next)
    settings.set('theme', next === 'system' ? null : next);
  const now = settings.get('theme', 'system');
  if (now === 'system')
    delete document.documentElement.dataset.theme;
  else
    document.documentElement.dataset.theme = now;
  if (next)
    dispatchEvent(new Event('themechange'));
  return now;
}

// Run something that takes a while once at a time. Who asks meanwhile gets another run after
// it: what it found may be older than the question.
export function oneAtATime(run) {
  let running = null;
  let again = false;
  async function all() {
    try {
      do {
        again = false;
        await run();
      } while (again);
    } finally {
      running = null;
    }
  }
  return () => {
    again = Boolean(running);
    running = running || all();
    return running;
  };
}
