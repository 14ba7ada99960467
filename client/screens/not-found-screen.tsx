export function Screen() {
  return <h1 tabIndex={-1}>not-found</h1>;
}

export function getMeta() {
  return { title: 'not-found', description: 'not-found' };
}
