import { randomBytes, randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { respondJson, Refusal, type CrmResponse, type LoggedRequest } from './fake-crm.ts';
import { readMediaType } from './crm-rules.ts';

export interface Login {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly issueToken: (request: LoggedRequest, instanceUrl: string) => CrmResponse;
  /** Whether this `Authorization` header is accepted now. */
  readonly admits: (authorization: string | undefined) => boolean;
  readonly expireTokens: () => void;
}

const form = v.strictObject({
  grant_type: v.string(),
  client_id: v.string(),
  client_secret: v.string(),
});

/** OAuth's errors come as an object, unlike all others. */
function refuse(error: string, error_description: string): never {
  throw new Refusal(respondJson(400, { error, error_description }));
}

function readForm(request: LoggedRequest) {
  if (readMediaType(request) !== 'application/x-www-form-urlencoded') {
    refuse('invalid_request', 'content type must be application/x-www-form-urlencoded');
  }
  const fields = Object.fromEntries(new URLSearchParams(request.body));
  const result = v.safeParse(form, fields);

  return result.success ? result.output : refuse('invalid_request', result.issues[0].message);
}

/** The client-credentials flow of one external client app. */
export function makeLogin(): Login {
  const clientId = `3MVG9${randomBytes(20).toString('hex')}`;
  const clientSecret = randomBytes(32).toString('hex').toUpperCase();
  const tokens = new Set<string>();

  return {
    clientId,
    clientSecret,
    issueToken: (request, instanceUrl) => {
      const fields = readForm(request);
      if (fields.grant_type !== 'client_credentials') {
        refuse('unsupported_grant_type', 'grant type not supported');
      }
      if (fields.client_id !== clientId) refuse('invalid_client_id', 'client identifier invalid');
      if (fields.client_secret !== clientSecret) {
        refuse('invalid_client', 'invalid client credentials');
      }
      const token = `00D${randomUUID()}!${randomBytes(24).toString('base64url')}`;
      tokens.add(token);

      return respondJson(200, {
        access_token: token,
        signature: randomBytes(32).toString('base64'),
        instance_url: instanceUrl,
        id: 'https://login.salesforce.com/id/00D/005',
        token_type: 'Bearer',
        issued_at: String(Date.now()),
      });
    },
    admits: (authorization) =>
      [...tokens].some((token) => authorization === `Bearer ${token}`),
    expireTokens: () => tokens.clear(),
  };
}
