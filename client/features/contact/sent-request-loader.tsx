import { use, type ReactNode } from 'react';
import type { SentRequestProps } from './sent-request.tsx';

interface LoaderProps extends SentRequestProps {
  /** Shown alone if the chunk fails to load. */
  readonly message: ReactNode;
}

type RenderSentRequest = (props: LoaderProps) => ReactNode;

let loaded: RenderSentRequest | undefined;
let loading: Promise<RenderSentRequest> | undefined;

/** Loads the confirmation view. It is a separate chunk, because few visitors need it. Never rejects. */
export function loadSentRequest(): Promise<RenderSentRequest> {
  loading ??= import('./sent-request.tsx').then(
    ({ SentRequest }) => (loaded = (props) => <SentRequest {...props} />),
    () => {
      // The connection may have failed, so the next call tries again.
      loading = undefined;

      return (loaded = ({ message }) => message);
    },
  );

  return loading;
}

/** The confirmation view. Must be inside a `Suspense` boundary. */
export function LoadedSentRequest(props: LoaderProps) {
  const render = loaded ?? use(loadSentRequest());

  return render(props);
}
