/** The SHA-256 digest of less than 512 MB. */
export declare function hashSha256(data: Uint8Array): Uint8Array<ArrayBuffer>;
