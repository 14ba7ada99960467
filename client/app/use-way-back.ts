import { useLayoutEffect } from 'react';
import { getLoadedScreen, loadScreen, matchScreen } from './screen-registry.ts';

/** Repeats the event once the page's scripts are here, or can't be had, if the tab is still at that page. */
function delayUntilLoaded(event: PopStateEvent): void {
  const { pathname } = location;
  const screen = matchScreen(pathname);
  // What isn't the browser's own is the repetition.
  if (!event.isTrusted || getLoadedScreen(screen)) return;
  event.stopImmediatePropagation();
  const repeat = () => {
    if (location.pathname === pathname) dispatchEvent(new PopStateEvent('popstate'));
  };
  void loadScreen(screen).then(repeat, repeat);
}

/**
 * Leaves the page shown until the one gone back to can be, as after a click on a link. React renders at once in this
 * event, and without the page's scripts it would show nothing, where no place can be found again.
 */
export function useWayBack(): void {
  // A layout effect, so that it listens before the router, which is around us.
  useLayoutEffect(() => {
    addEventListener('popstate', delayUntilLoaded);

    return () => removeEventListener('popstate', delayUntilLoaded);
  }, []);
}
