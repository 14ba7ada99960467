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
import { savesData, wakeOnMedia } from '../app/wake-conditions.ts';
import { Icon } from './icon.tsx';

interface VideoSource {
  readonly webm: string;
  readonly mp4: string;
}

/** Half the speed it was filmed at: calm enough to read in front of. */
const PLAYBACK_RATE = 0.5;

interface VideoProps {
  readonly source: VideoSource;
  readonly isPaused: boolean;
  /** The browser doesn't let it start by itself. */
  readonly onRefuse: () => void;
  readonly onError: () => void;
}

/** Reports why a start failed, unless that is expected or reported elsewhere; true where it reported. */
function reportRefusal(error: unknown): boolean {
  const name = error instanceof DOMException ? error.name : '';
  // Pausing or leaving the page ends a start that was under way; sources that can't be played are
  // reported by the last of them.
  if (name === 'AbortError' || name === 'NotSupportedError') return false;
  console.error('The background video did not start by itself.', error);

  return true;
}

function Video({ source, isPaused, onRefuse, onError }: VideoProps) {
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
      if (reportRefusal(error)) onRefuse();
    });
  }, [isPaused, onRefuse]);

  const fail = () => {
    console.error('The background video could not be loaded.');
    onError();
  };
  // A source that fails is followed by the next; React lets its event rise to the video.
  const failAsWhole = ({ target, currentTarget }: SyntheticEvent) => {
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
      onError={failAsWhole}
    >
      <source src={source.webm} type="video/webm" />
      {/* The last source: when it fails too, there is nothing left to try. */}
      <source src={source.mp4} type="video/mp4" onError={fail} />
    </video>
  );
}

const videoQuery = `${BEYOND_MOBILE} and (prefers-reduced-motion: no-preference)`;

function mayPlayVideo(): boolean {
  return matchMedia(videoQuery).matches && !savesData();
}

function subscribeToScreen(onChange: () => void): () => void {
  const list = matchMedia(videoQuery);
  list.addEventListener('change', onChange);

  return () => list.removeEventListener('change', onChange);
}

/**
 * Whether screen, preferences and connection allow a video: wider than the mobile breakpoint, no
 * reduced motion, no Save-Data. False until the page is hydrated.
 */
function useMayPlayVideo(): boolean {
  return useSyncExternalStore(subscribeToScreen, mayPlayVideo, () => false);
}

/**
 * A silent, looping video over whatever lies behind it, with a button that pauses it. It is
 * fetched only where it plays: on wide screens, unless the visitor asked for less motion or less
 * data. When it fails, what lies behind stays.
 */
export function BackgroundVideo({ source }: { source: VideoSource }) {
  const mayPlay = useMayPlayVideo();
  const [isPaused, setIsPaused] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const pause = useCallback(() => setIsPaused(true), []);
  if (!mayPlay || hasFailed) return <span hidden {...wakeOnMedia(videoQuery)} />;

  return (
    <>
      <Video
        source={source}
        isPaused={isPaused}
        onRefuse={pause}
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
