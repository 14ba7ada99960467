import type { PageMeta } from '../app/page-meta.ts';
import { NotFoundMessage } from '../components/not-found-message.tsx';

export function Screen() {
  return <NotFoundMessage />;
}

export function getMeta(): PageMeta {
  return {
    title: 'Page not found',
    description: 'There is no page at this address. The home page, solutions, and contact are.',
    isHidden: true,
  };
}
