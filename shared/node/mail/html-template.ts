import { escapeHtml } from '../../escape-html.ts';

/** HTML whose interpolated values are escaped; nested results are not escaped twice. */
export class SafeHtml {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Interpolated = string | SafeHtml | readonly SafeHtml[];

function toHtml(value: Interpolated): string {
  if (value instanceof SafeHtml) return value.text;
  if (typeof value === 'string') return escapeHtml(value);

  return value.map(({ text }) => text).join('');
}

/** Tag of template literals that are HTML. */
export function html(parts: TemplateStringsArray, ...values: readonly Interpolated[]): SafeHtml {
  return new SafeHtml(
    parts.reduce((text, part, index) => text + toHtml(values[index - 1] ?? '') + part),
  );
}
