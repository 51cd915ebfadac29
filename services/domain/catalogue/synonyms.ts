import { languageOf } from './languages.ts'
import { analyze } from './text.ts'

/**
 * Names that shoppers use for the same kind of product, one kind per line. The lists are short on purpose: names share a line
 * only if each can stand for the others whatever the shop sells. Narrower names (webcam for camera) are not synonyms.
 */
const kinds: Readonly<Record<string, string>> = {
  en: `laptop, notebook
    tv, television
    pc, computer
    mobile phone, cell phone, cellphone, smartphone
    headphones, earphones, headset, earbuds
    ssd, solid state drive
    hdd, hard drive, hard disk
    usb stick, usb drive, flash drive, thumb drive
    power bank, external battery, portable charger
    mouse pad, mouse mat
    vacuum cleaner, hoover
    flashlight, torch
    speaker, loudspeaker
    smart watch, smartwatch
    fridge, refrigerator
    sofa, couch
    sweater, jumper, pullover
    trousers, pants
    sneakers, trainers
    diapers, nappies
    stroller, pushchair
    backpack, rucksack
    bicycle, bike
    perfume, fragrance`,
  de: `laptop, notebook
    fernseher, tv
    handy, smartphone, mobiltelefon
    kopfhörer, headset, ohrhörer
    festplatte, hdd
    usb stick, speicherstick
    powerbank, zusatzakku
    mauspad, mausmatte
    lautsprecher, boxen
    drucker, printer
    kühlschrank, kuehlschrank
    sofa, couch
    fahrrad, bike
    pullover, pulli
    turnschuhe, sneaker
    rucksack, backpack
    taschenlampe, handlampe`,
}

/** Brands, and lines of products, by their full and their short names, which are the same in every language. */
const brands = `hp, hewlett packard
    wd, western digital
    vw, volkswagen
    ge, general electric
    ck, calvin klein
    ysl, yves saint laurent
    d&g, dolce gabbana
    tnf, the north face
    dr martens, doc martens
    ps3, playstation 3
    ps4, playstation 4
    ps5, playstation 5`

/** Maps the terms of a name, joined by spaces, to the terms of each of its synonyms. */
export type Synonyms = ReadonlyMap<string, readonly (readonly string[])[]>

const byLanguage = new Map<string, Synonyms>()

/** @param lang ISO 639-1 code, a region may follow; null is English. */
export function synonymsOf(lang: string | null): Synonyms {
  const code = languageOf(lang)
  const known = byLanguage.get(code)
  if (known) return known
  const found = new Map<string, string[][]>()
  const lines = kinds[code] === undefined ? brands : `${brands}\n${kinds[code]}`
  for (const line of lines.split('\n')) {
    const names = line.split(',').map((name) => analyze(name, code))
    for (const name of names) found.set(name.join(' '), [...names.filter((other) => other !== name)])
  }
  byLanguage.set(code, found)
  return found
}
