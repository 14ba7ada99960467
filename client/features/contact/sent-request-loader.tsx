import { use, type ReactNode } from 'react';
import type { SentRequestProps } from './sent-request.tsx';

interface LoaderProps extends SentRequestProps {
  /** Shown alone if the chunk fails to load. */
  readonly message: ReactNode;
}

type RenderSentRequest = (props: LoaderProps) => ReactNode;

let loaded: RenderSentRequest | undefined;
let loading: Promise<RenderSentRequest> | undefined;

/** Loads the confirmation view, a chunk few visitors need. Never rejects. */
export function loadSentRequest(): Promise<RenderSentRequest> {
  loading ??= import('./sent-request.tsx').then(
    ({ SentRequest }) => (loaded = (props) => <SentRequest {...props} />),
    () => {
      // The connection may have failed, so retry with the next request.
      loading = undefined;

      return (loaded = ({ message }) => message);
    },
  );

  return loading;
}

/** The confirmation view. Needs a `Suspense` above it. */
export function LoadedSentRequest(props: LoaderProps) {
  const render = loaded ?? use(loadSentRequest());

  return render(props);
}
