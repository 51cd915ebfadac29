import { LABEL_LANGUAGES } from '../../domain/ad-labels.ts'
import { SHOP_NAME } from '../load/accounts.ts'
import { countOf } from './basket.ts'
import { SHOPPERS, type ShopVisit } from './context.ts'
import { counted } from './format.ts'
import { type Html, html, json } from './html.ts'
import { icons } from './icons.ts'

export interface ShopPage {
  title: string
  body: Html
  /** The feed id of the product, on its page. */
  productId?: string
  /** An order that has just been placed, to be reported. */
  order?: object
  /** The search phrase, for the search field. */
  phrase?: string
}

/** Renders the whole document. */
export function layout(visit: ShopVisit, page: ShopPage): string {
  const facts = {
    adServer: visit.adServer,
    shopId: visit.shopId,
    cid: visit.cid,
    uid: visit.uid,
    productId: page.productId ?? null,
    order: page.order ?? null,
  }
  const { lang } = visit.labels
  return html`<!doctype html>
<html lang="${lang}" dir="${directionOf(lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · ${SHOP_NAME}</title>
<link rel="icon" href="${visit.assets}/icon.svg">
<link rel="stylesheet" href="${visit.assets}/style.css">
<script type="module" src="${visit.assets}/shop.js"></script>
</head>
<body lang="en">
<a class="skip" href="#main">Skip to content</a>
<script type="application/json" id="facts">${json(facts)}</script>
${demoBar(visit)}
${header(visit, page.phrase ?? '')}
<main id="main" tabindex="-1">${page.body}</main>
${footer(visit)}
${cardTemplate(visit)}
</body>
</html>`.text
}

/** Only the labels of ads are translated; the shop's own texts are English in every language. */
const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur'])
const directionOf = (lang: string) => (RIGHT_TO_LEFT.has(lang) ? 'rtl' : 'ltr')

const LANGUAGES = LABEL_LANGUAGES.map((lang) => ({
  lang,
  name: new Intl.DisplayNames(lang, { type: 'language' }).of(lang)!,
})).sort((a, b) => a.name.localeCompare(b.name))

const languageChoice = ({
  labels,
  url,
}: ShopVisit) => html`<form method="post" action="/language" data-language><input type="hidden" name="back" value="${withoutLanguage(url)}">
<label>Ads in <select name="lang">${LANGUAGES.map(({ lang, name }) => html`<option value="${lang}" lang="${lang}" ${lang === labels.lang && html`selected`}>${name}</option>`)}</select></label> <noscript><button>Show</button></noscript></form>`

/** The URL without `lang`, which would override the visitor's choice. */
function withoutLanguage(url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://shop')
  searchParams.delete('lang')
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`
}

const demoBar = (visit: ShopVisit) => html`<aside class="demo-bar" aria-label="About this demo">
<span>A demo of Endcap. Nothing is sold.</span>
<a href="${visit.adServer}/panel/" target="_blank" rel="noopener">Open the panel</a>
<button type="button" data-events>Your last events <span class="count" data-events-count>0</span></button>
${languageChoice(visit)}
<dialog class="events" aria-label="Your last events"><form method="dialog"><h2>Your last events</h2><button aria-label="Close">✕</button></form>
<p>What this shop has reported to the ad server. Accepted: the server has stored it. Sent: you left the page before the answer, as with every click. A sale is attributed a few seconds later.</p><ol data-events-list></ol></dialog>
</aside>`

const header = (visit: ShopVisit, phrase: string) => html`<header class="top">
<div class="wide">
<a class="logo" href="/">${icons.compass}<span>Northwind <em>Market</em></span></a>
<form class="search" action="/search" role="search"><input name="q" type="search" value="${phrase}" placeholder="What are you looking for?" aria-label="Search" autocomplete="off" dir="auto" required><button aria-label="Search">${icons.search}</button></form>
${account(visit)}
<a class="tool" href="/cart" aria-label="Cart, ${counted(countOf(visit.basket), 'item')}" data-cart>${icons.cart}<span class="count" data-cart-count>${countOf(visit.basket)}</span></a>
</div>
<nav class="departments" aria-label="Departments"><ul class="wide">${visit.shelf.departments.map(
  ({ href, name }) =>
    html`<li><a href="${href}" ${visit.url.startsWith(href) && html`aria-current="true"`}>${name}</a></li>`,
)}</ul></nav>
</header>`

function account({ uid, url }: ShopVisit): Html {
  const shopper = SHOPPERS.find((each) => each.uid === uid)
  return html`<details class="account">
<summary class="tool">${icons.person}<span class="label">${shopper ? shopper.name : 'Sign in'}</span></summary>
<form method="post" action="/sign-in"><input type="hidden" name="back" value="${url}">
<p>${shopper ? `You are shopping as ${shopper.name}.` : 'Two demo shoppers, no password needed.'} Events carry the shopper’s uid, so that a purchase on one device counts for a click on another.</p>
${SHOPPERS.filter((each) => each.uid !== uid).map(({ uid: other, name }) => html`<button name="uid" value="${other}">Shop as ${name}</button>`)}
${shopper && html`<button name="uid" value="">Sign out</button>`}
</form></details>`
}

const footer = ({ shelf, adServer }: ShopVisit) => html`<footer class="bottom"><div class="wide">
<ul class="promises"><li>${icons.truck} Free delivery from €49</li><li>${icons.back} 30 days to think it over</li><li>${icons.shield} Two years' guarantee</li></ul>
<p class="links">${shelf.departments.map(({ href, name }) => html`<a href="${href}">${name}</a> `)}<a href="${adServer}/docs">API</a></p>
<p class="small">${SHOP_NAME} is a fictional shop. Its products, brands and pictures are generated by a program.</p>
</div></footer>`

/** The template of the browser's ad cards. */
const cardTemplate = ({ labels }: ShopVisit) =>
  html`<template id="ad-card"><li class="card ad"><a><img alt="" width="400" height="400" loading="lazy" decoding="async"><span class="brand"></span><span class="title"></span><span class="prices"></span><span class="tag" lang="${labels.lang}">${labels.sponsored}</span></a></li></template>`
