/**
 * Makes a version-4 UUID (RFC 9562). `crypto.randomUUID` exists in secure contexts only, and the
 * site also runs on plain http inside a company network.
 */
export function makeUuid(
  bytes: Uint8Array = crypto.getRandomValues(new Uint8Array(16)),
): string {
  const hex = Array.from(bytes, (byte, index) => {
    if (index === 6) return (byte & 0x0f) | 0x40;
    if (index === 8) return (byte & 0x3f) | 0x80;

    return byte;
  })
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
