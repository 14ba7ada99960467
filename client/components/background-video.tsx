import {
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type SyntheticEvent,
} from 'react';
import styles from './background-video.module.css';
import { BEYOND_MOBILE } from './breakpoints.ts';
import { prefersReducedData, hydrateOnMedia } from '../app/hydration-triggers.ts';
import { Icon } from './icon.tsx';

interface VideoSource {
  readonly webm: string;
  readonly mp4: string;
}

/** Half speed keeps the text over the video readable. */
const PLAYBACK_RATE = 0.5;

interface VideoProps {
  readonly source: VideoSource;
  readonly isPaused: boolean;
  /** Called if the browser blocks autoplay. */
  readonly onBlocked: () => void;
  readonly onError: () => void;
}

/** Logs an error from `play()` and returns true. Returns false if the error is expected or logged elsewhere. */
function reportBlockedAutoplay(error: unknown): boolean {
  const name = error instanceof DOMException ? error.name : '';
  // AbortError: the video was paused, or the visitor left the page. NotSupportedError: the last source logs the error.
  if (name === 'AbortError' || name === 'NotSupportedError') return false;
  console.error('Autoplay of the background video failed.', error);

  return true;
}

function Video({ source, isPaused, onBlocked, onError }: VideoProps) {
  const videoRef = useRef<HTMLVideoElement>(null);
  const [isPlaying, setIsPlaying] = useState(false);

  useEffect(() => {
    const video = videoRef.current;
    if (!video) return;
    video.playbackRate = PLAYBACK_RATE;
    if (isPaused) {
      video.pause();

      return;
    }
    video.play().catch((error: unknown) => {
      if (reportBlockedAutoplay(error)) onBlocked();
    });
  }, [isPaused, onBlocked]);

  const fail = () => {
    console.error('The background video could not be loaded.');
    onError();
  };
  // If one source fails, the browser tries the next one. React bubbles the source's error event to the video.
  const handleVideoError = ({ target, currentTarget }: SyntheticEvent) => {
    if (target === currentTarget) fail();
  };
  const keepRate = ({ currentTarget }: { currentTarget: HTMLVideoElement }) => {
    currentTarget.playbackRate = PLAYBACK_RATE;
  };

  return (
    <video
      ref={videoRef}
      className={styles.video}
      data-state={isPlaying ? 'playing' : 'loading'}
      muted
      loop
      playsInline
      disablePictureInPicture
      tabIndex={-1}
      aria-hidden="true"
      onLoadedMetadata={keepRate}
      onPlaying={() => setIsPlaying(true)}
      onError={handleVideoError}
    >
      <source src={source.webm} type="video/webm" />
      <source src={source.mp4} type="video/mp4" onError={fail} />
    </video>
  );
}

const videoQuery = `${BEYOND_MOBILE} and (prefers-reduced-motion: no-preference)`;

function mayPlayVideo(): boolean {
  return matchMedia(videoQuery).matches && !prefersReducedData();
}

function subscribeToVideoQuery(onChange: () => void): () => void {
  const list = matchMedia(videoQuery);
  list.addEventListener('change', onChange);

  return () => list.removeEventListener('change', onChange);
}

/** Returns whether the screen and the visitor's settings allow a video. Always false before hydration. */
function useMayPlayVideo(): boolean {
  return useSyncExternalStore(subscribeToVideoQuery, mayPlayVideo, () => false);
}

/**
 * A silent, looping video over a background picture, with a pause button. It loads only if it is allowed to play. If
 * loading fails, the picture remains visible.
 */
export function BackgroundVideo({ source }: { source: VideoSource }) {
  const mayPlay = useMayPlayVideo();
  const [isPaused, setIsPaused] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const pause = useCallback(() => setIsPaused(true), []);
  if (!mayPlay || hasFailed) return <span hidden {...hydrateOnMedia(videoQuery)} />;

  return (
    <>
      <Video
        source={source}
        isPaused={isPaused}
        onBlocked={pause}
        onError={() => setHasFailed(true)}
      />
      <button
        className={styles.button}
        type="button"
        aria-label={isPaused ? 'Play background video' : 'Pause background video'}
        onClick={() => setIsPaused(!isPaused)}
      >
        <Icon name={isPaused ? 'play' : 'pause'} />
      </button>
    </>
  );
}
