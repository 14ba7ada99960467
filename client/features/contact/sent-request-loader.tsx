import { use, type ReactNode } from 'react';
import type { SentRequestProps } from './sent-request.tsx';

interface LoaderProps extends SentRequestProps {
  /** The message alone, where the rest can't be loaded. */
  readonly message: ReactNode;
}

type RenderSentRequest = (props: LoaderProps) => ReactNode;

let loaded: RenderSentRequest | undefined;
let loading: Promise<RenderSentRequest> | undefined;

/** Loads what is shown once a request is sent: a chunk of its own, which few visitors need. Never rejects. */
export function loadSentRequest(): Promise<RenderSentRequest> {
  loading ??= import('./sent-request.tsx').then(
    ({ SentRequest }) => (loaded = (props) => <SentRequest {...props} />),
    () => {
      // The next request that is sent asks for it again: this one may have failed only for want of a connection.
      loading = undefined;

      return (loaded = ({ message }) => message);
    },
  );

  return loading;
}

/** The view of a sent request; it has to be in a `Suspense`. */
export function LoadedSentRequest(props: LoaderProps) {
  const render = loaded ?? use(loadSentRequest());

  return render(props);
}
