export function Screen() {
  return <h1 tabIndex={-1}>terms-of-service</h1>;
}

export function getMeta() {
  return { title: 'terms-of-service', description: 'terms-of-service' };
}
