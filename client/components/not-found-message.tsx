import { pathTo, routePatterns } from '../../shared/paths.ts';
import { anchors } from '../../shared/content/anchors.ts';
import notFoundAvif from '../assets/pictures/not-found.avif';
import notFoundJpg from '../assets/pictures/not-found.jpg';
import notFoundWebp from '../assets/pictures/not-found.webp';
import { ButtonLink } from './button-link.tsx';
import { PageHero } from './page-hero.tsx';
import type { PictureSource } from './responsive-picture.tsx';

const picture: PictureSource = {
  landscape: { avif: notFoundAvif, webp: notFoundWebp, jpg: notFoundJpg },
  width: 1200,
  height: 675,
};

/** What a visitor sees where there is no page. */
export function NotFoundMessage() {
  return (
    <PageHero
      label="Page not found"
      title="This one has rolled away"
      description="The address may be mistyped, or the page has moved. These lead somewhere:"
      picture={picture}
    >
      <ButtonLink to={routePatterns.home} variant="light">
        Go to the home page
      </ButtonLink>
      <ButtonLink to={`${routePatterns.home}#${anchors.solutions}`} variant="quiet">
        See our solutions
      </ButtonLink>
      <ButtonLink to={pathTo.contact()} variant="quiet">
        Contact us
      </ButtonLink>
    </PageHero>
  );
}
