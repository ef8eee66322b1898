// Places for the nodes of a graph: springs along edges, repulsion between all, a pull to the
// middle. The result depends on nothing but the graph, so it is the same each time.

const STEPS = 220;
const APART = 70;

function start(nodes) {
  return nodes.map((_, i) => {
    const r = 14 * Math.sqrt(i + 1);
    const angle = i * 2.399963; // the golden angle: evenly over a disc
    return {x: r * Math.cos(angle), y: r * Math.sin(angle), dx: 0, dy: 0};
  });
}

function repel(places) {
  for (let i = 0; i < places.length; i++)
    for (let j = i + 1; j < places.length; j++) {
      const a = places[i], b = places[j];
      const x = a.x - b.x || 0.1, y = a.y - b.y || 0.1;
      const square = x * x + y * y;
      if (square > APART * APART * 36)
        continue;
      const force = APART * APART / square * 0.35;
      a.dx += x * force;
      a.dy += y * force;
      b.dx -= x * force;
      b.dy -= y * force;
    }
}

function attract(places, edges) {
  for (const [i, j] of edges) {
    const a = places[i], b = places[j];
    const x = a.x - b.x, y = a.y - b.y;
    const length = Math.sqrt(x * x + y * y) || 1;
    const force = (length - APART) / length * 0.5;
    a.dx -= x * force;
    a.dy -= y * force;
    b.dx += x * force;
    b.dy += y * force;
  }
}

function move(places, most) {
  for (const p of places) {
    p.dx -= p.x * 0.06;
    p.dy -= p.y * 0.06;
    const length = Math.sqrt(p.dx * p.dx + p.dy * p.dy) || 1;
    const step = Math.min(length, most) / length;
    p.x += p.dx * step;
    p.y += p.dy * step;
    p.dx = p.dy = 0;
  }
}

// `edges`: pairs of indexes of nodes. Returns [{x, y}].
export function layout(nodes, edges) {
  const places = start(nodes);
  for (let step = 0; step < STEPS; step++) {
    repel(places);
    attract(places, edges);
    move(places, 40 * (1 - step / STEPS) + 1);
  }
  return places;
}
