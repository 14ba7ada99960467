import * as v from 'valibot';

/** What is no part of a proof: nothing of it is read. */
const MAX_PROOF_TEXT = 200;
const text = v.pipe(v.string(), v.maxLength(MAX_PROOF_TEXT));

/** A challenge of ours as altcha writes it, and its solution. */
const proofSchema = v.object({
  challenge: v.object({
    parameters: v.object({
      algorithm: text,
      cost: v.number(),
      expiresAt: v.number(),
      keyLength: v.number(),
      keyPrefix: text,
      nonce: text,
      salt: text,
    }),
    signature: text,
  }),
  solution: v.object({ counter: v.number(), derivedKey: text }),
});

export type WorkProof = v.InferOutput<typeof proofSchema>;

/** A field that a form sends twice arrives as a list; people's forms send it once. */
const sentSeveralTimes = v.pipe(
  v.array(v.string()),
  v.transform((values) => values.join('')),
);

const readableOr = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.fallback(v.optional(schema), undefined);

/** The form's own signals; a part that can't be read counts as absent, for none is a duty. */
export const spamSignalsSchema = v.fallback(
  v.object({
    /** What the field holds that no person sees. */
    honeypot: readableOr(v.union([v.string(), sentSeveralTimes])),
    /** Milliseconds from showing the form to sending it, by the client's clock. */
    filled_in_ms: readableOr(v.pipe(v.number(), v.minValue(0))),
    proof: readableOr(proofSchema),
  }),
  {},
);

export type SpamSignals = v.InferOutput<typeof spamSignalsSchema>;
