/** What the server tells the page: adServer, shopId, cid, uid, productId, order. */
export const facts = JSON.parse(document.getElementById('facts').textContent)
