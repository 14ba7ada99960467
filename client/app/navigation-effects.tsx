import { useLayoutEffect, useRef, useState } from 'react';
import { NavigationType, useLocation, useNavigationType, type Location } from 'react-router-dom';
import type { Site } from '../../shared/site.ts';
import { VisuallyHidden } from '../components/visually-hidden.tsx';
import { formatTitle } from '../../shared/content/page-meta.ts';
import { clearServedAddress } from './page-data.ts';
import { useSite } from './page-state.tsx';
import { clearServedScreen, loadScreen, matchScreen, notFoundScreen } from './screen-registry.ts';
import { useScreenPrefetch } from './use-screen-prefetch.ts';
import { useScrollRestoration } from './use-scroll-restoration.ts';
import { useWayBack } from './use-way-back.ts';
import { storeVisitedPath } from './visit-source.ts';

function findAnchor(hash: string): HTMLElement | null {
  return hash === '' ? null : document.getElementById(hash.slice(1));
}

/** The title of the page at a path, as its document would have it. */
async function findTitle(pathname: string, site: Site): Promise<string> {
  const screen = matchScreen(pathname);
  const meta =
    (await loadScreen(screen)).getMeta(site, screen.params) ??
    (await loadScreen(notFoundScreen)).getMeta(site, notFoundScreen.params);

  return meta ? formatTitle(meta, site) : site.name;
}

/** Whether two addresses of the same page have the same query and anchor. */
export function isSamePart(one: Location, other: Location): boolean {
  return one.search === other.search && one.hash === other.hash;
}

const findHeading = () => document.querySelector<HTMLElement>('main h1');

/** Moves to a part of the page shown, or to its top, and the focus there; the gliding is the style sheet's matter. */
function moveWithinPage(hash: string): void {
  const part = findAnchor(hash);
  if (part) part.scrollIntoView();
  else window.scrollTo({ top: 0 });
  // A form that starts again has taken it.
  const isFocusTaken = document.activeElement?.closest('main');
  (part ?? (isFocusTaken ? null : findHeading()))?.focus({ preventScroll: true });
}

/** Starts a page where it was left, at its anchor or at its top, and moves the focus there. */
function startPage(hash: string, leftAt: number | undefined): void {
  const part = findAnchor(hash);
  // Moving between pages is not a movement on a page: it never glides.
  if (leftAt !== undefined) window.scrollTo({ top: leftAt, behavior: 'instant' });
  else if (part) part.scrollIntoView({ behavior: 'instant' });
  else window.scrollTo({ top: 0, behavior: 'instant' });

  (part ?? findHeading())?.focus({ preventScroll: true });
}

/**
 * After a client-side navigation does what a full page load would: the page starts at its top,
 * at the anchor, or where it was left when the visitor goes back; focus moves to its heading; the
 * title follows the page and is read out.
 */
export function NavigationEffects() {
  const location = useLocation();
  const navigationType = useNavigationType();
  const site = useSite();
  const getPosition = useScrollRestoration();
  const shownLocation = useRef<Location>(location);
  const [announcement, setAnnouncement] = useState('');
  useScreenPrefetch();
  useWayBack();
  // In the commit that has the router listen, just before it does.
  useLayoutEffect(clearServedAddress, []);

  // Before the browser paints: a page isn't seen at the place the last one was left.
  useLayoutEffect(() => {
    const { pathname, hash, key } = location;
    const previous = shownLocation.current;
    if (previous === location) return;
    shownLocation.current = location;
    const leftAt = navigationType === NavigationType.Pop ? getPosition(key) : undefined;

    if (previous.pathname === pathname) {
      if (leftAt !== undefined) window.scrollTo({ top: leftAt, behavior: 'instant' });
      // A page that only changes its own address stays where it is.
      else if (navigationType === NavigationType.Push || isSamePart(previous, location)) {
        moveWithinPage(hash);
      }

      return;
    }

    storeVisitedPath(pathname);
    clearServedScreen();
    startPage(hash, leftAt);
    void findTitle(pathname, site).then((title) => {
      // The visitor may have moved on while a chunk was loading.
      if (shownLocation.current !== location) return;
      document.title = title;
      setAnnouncement(title);
    });
  });

  return <VisuallyHidden role="status">{announcement}</VisuallyHidden>;
}
