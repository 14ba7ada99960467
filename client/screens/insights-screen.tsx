export function Screen() {
  return <h1 tabIndex={-1}>insights</h1>;
}

export function getMeta() {
  return { title: 'insights', description: 'insights' };
}
