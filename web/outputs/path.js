// A value within JSON by a path: .items[0].title, items.0.title, ["a b"].

const STEP = /^(?:\.?([^.[\]"\s]+)|\[(\d+)\]|\.?\["((?:[^"\\]|\\.)*)"\]|\.)/;

// The steps of a path, or null if it is none.
export function parsePath(text) {
  const steps = [];
  let rest = text.trim().replace(/^\$/, '');
  while (rest) {
    const found = STEP.exec(rest);
    if (!found || !found[0])
      return null;
    const [all, name, index, quoted] = found;
    if (name !== undefined)
      steps.push(name);
    else if (index !== undefined)
      steps.push(Number(index));
    else if (quoted !== undefined)
      steps.push(quoted.replace(/\\(.)/g, '$1'));
    rest = rest.slice(all.length);
  }
  return steps;
}

// {found, value}
export function valueAt(value, steps) {
  for (const step of steps) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step))
      return {found: false};
    value = value[step];
  }
  return {found: true, value};
}
