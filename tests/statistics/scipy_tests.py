"""SciPy's values of statistics and tests: scipy_tests.py > scipy_tests.def."""
import warnings
from fractions import Fraction
from math import comb

import numpy as np
import scipy.stats as st
import scipy.stats._ksstats as ks

warnings.simplefilter("ignore")
rng = np.random.default_rng(20261127)
rows = []


def text(a):
    return repr(np.asarray(a).tolist()).replace(" ", "")


def row(expression, value, digits=1e-10):
    v = float(np.asarray(value).ravel()[0]) if np.asarray(value).size == 1 else None
    values = np.asarray(value, dtype=float).ravel()
    numbers = ", ".join("(double)NAN" if np.isnan(v) else ("-" if v < 0 else "") + "(double)INFINITY" if np.isinf(v) else "%.17g" % v for v in values)
    rows.append('SCIPY("%s", %g, %s)' % (expression.replace('"', '\\"'), digits, numbers))


def test(expression, result, digits=1e-10, statistic=True):
    if statistic:
        row(expression + "[0]", result[0], digits)
    row(expression + "[1]", result[1], digits)


x = np.round(rng.normal(size=12), 4)
y = np.round(rng.normal(0.6, 1.5, size=9), 4)
z = np.round(rng.gamma(2, size=12), 4)
ties = np.array([1.0, 3, 2, 2, 5, 3, 3, 8, 1, 2, 9, 4])
other = np.array([2.0, 2, 3, 1, 4, 4, 3, 7, 1, 5, 8, 3])
long = np.round(rng.normal(size=60), 3)
long2 = np.round(rng.normal(0.3, 1.2, size=45), 3)
m = np.round(rng.normal(size=(3, 7)), 3)
for a in (x, z, ties):
    t = text(a)
    for k in range(5):
        row("central_moment(%s,%d)" % (t, k), st.moment(a, k))
    for bias in (True, False):
        row("skew(%s,bias=%s)" % (t, str(bias).lower()), st.skew(a, bias=bias))
        for fisher in (True, False):
            row("kurtosis(%s,fisher=%s,bias=%s)" % (t, str(fisher).lower(), str(bias).lower()), st.kurtosis(a, fisher=fisher, bias=bias))
    row("sem(%s)" % t, st.sem(a))
    row("mad(%s)" % t, st.median_abs_deviation(a))
    row("mad(%s,scale=0.6744897501960817)" % t, st.median_abs_deviation(a, scale="normal"))
    row("variation(%s)" % t, st.variation(a))
    row("zscore(%s)" % t, st.zscore(a))
    row("zscore(%s,ddof=1)" % t, st.zscore(a, ddof=1))
    row("trim_mean(%s,0.1)" % t, st.trim_mean(a, 0.1))
    row("autocovariance(%s,5)" % t, [np.sum((a - a.mean())[k:] * (a - a.mean())[:len(a) - k]) / len(a) for k in range(6)])
    row("ecdf(%s,%s)" % (t, t), st.ecdf(a).cdf.evaluate(a))
    for method in ("average", "min", "max", "dense", "ordinal"):
        row('rankdata(%s,ties="%s")' % (t, method), st.rankdata(a, method))
    for bw, number in (("scott", 0), ("silverman", -1), (0.4, 0.4)):
        row("kde(%s,[-1.0,0.5,2.5],%g)" % (t, number), st.gaussian_kde(a, bw)([-1, 0.5, 2.5]))
    row("kde(%s,[-1.0,0.5,2.5],weights=%s)" % (t, text(other)), st.gaussian_kde(a, weights=other)([-1, 0.5, 2.5]))
pair = np.stack([x, z])
points = np.array([[0.1, -0.5, 1.0], [2.0, 1.0, 0.5]])
row("kde(%s,%s)" % (text(pair), text(points)), st.gaussian_kde(pair)(points))
row("gmean(%s)" % text(z), st.gmean(z))
row("hmean(%s)" % text(z), st.hmean(z))
row("entropy(%s)" % text(z), st.entropy(z))
row("entropy(%s,%s)" % (text(z), text(other)), st.entropy(z, other))
row("skew(%s,axis=0)" % text(m), st.skew(m, 0))
row("kurtosis(%s,axis=none)" % text(m), st.kurtosis(m, None))
row("skew([2.0,2.0,2.0])", np.nan)
row("zscore([2.0,2.0])", [np.nan, np.nan])

for alternative in ("two-sided", "less", "greater"):
    o = 'alternative="%s"' % alternative
    k = {"alternative": alternative}
    test("ttest_1samp(%s,0.3,%s)" % (text(x), o), st.ttest_1samp(x, 0.3, **k))
    test("ttest_ind(%s,%s,%s)" % (text(x), text(y), o), st.ttest_ind(x, y, **k))
    welch = st.ttest_ind(x, y, equal_var=False, **k)
    test("ttest_ind(%s,%s,%s,equal_var=false)" % (text(x), text(y), o), welch)
    row("ttest_ind(%s,%s,%s,equal_var=false)[2]" % (text(x), text(y), o), welch.df)
    test("ttest_rel(%s,%s,%s)" % (text(x), text(z), o), st.ttest_rel(x, z, **k))
    score = (x.mean() - 0.2) / (1.3 / np.sqrt(12))
    p = {"two-sided": 2 * st.norm.sf(abs(score)), "less": st.norm.cdf(score), "greater": st.norm.sf(score)}[alternative]
    test("ztest(%s,0.2,1.3,%s)" % (text(x), o), (score, p))
    ratio = x.var(ddof=1) / y.var(ddof=1)
    less, more = st.f.cdf(ratio, 11, 8), st.f.sf(ratio, 11, 8)
    p = {"two-sided": 2 * min(less, more), "less": less, "greater": more}[alternative]
    test("variance_test(%s,%s,%s)" % (text(x), text(y), o), (ratio, p))
    for n in (1, 2, 5, 12, 60):
        a = long[:n]
        test('kstest(%s,"normal",0.2,1.4,%s)' % (text(a), o), st.kstest(a, st.norm(0.2, 1.4).cdf, **k))
    test('kstest(%s,"normal",%s)' % (text(long + 1.1), o), st.kstest(long + 1.1, st.norm.cdf, **k))
    test('kstest(%s,"normal",method="asymptotic",%s)' % (text(long), o), st.kstest(long, st.norm.cdf, method="asymp", **k))
    for a, b in ((x, y), (x, z), (y, x), (long, long2), (long2, x), (ties, other)):
        test("ks_2samp(%s,%s,%s)" % (text(a), text(b), o), st.ks_2samp(a, b, **k))
    test('ks_2samp(%s,%s,method="asymptotic",%s)' % (text(long), text(long2), o), st.ks_2samp(long, long2, method="asymp", **k))
    for a, b in ((x[:6], y), (x, y), (long, long2), (ties, other), (x[:3], y[:2]), (y[:8], long)):
        test("mannwhitneyu(%s,%s,%s)" % (text(a), text(b), o), st.mannwhitneyu(a, b, **k))
        test('mannwhitneyu(%s,%s,method="asymptotic",use_continuity=false,%s)' % (text(a), text(b), o),
             st.mannwhitneyu(a, b, method="asymptotic", use_continuity=False, **k))
    test('mannwhitneyu(%s,%s,method="exact",%s)' % (text(long), text(long2), o), st.mannwhitneyu(long, long2, method="exact", **k))
    rough = np.r_[ties - other, ties[:5] - 2.5, -0.5]
    for zeros in ("wilcox", "pratt", "zsplit"):
        for a in (x, rough, ties - other, long[:20], long):
            test('wilcoxon(%s,zero_method="%s",%s)' % (text(a), zeros, o), st.wilcoxon(a, zero_method=zeros, **k))
        test('wilcoxon(%s,%s,zero_method="%s",correction=true,method="asymptotic",%s)' % (text(ties), text(other), zeros, o),
             st.wilcoxon(ties, other, zero_method=zeros, correction=True, method="asymptotic", **k))
    test('wilcoxon(%s,method="exact",%s)' % (text(long[:30]), o), st.wilcoxon(long[:30], method="exact", **k))
    many = np.r_[rough[:14], 1.0, -2]  # all signs, ties and a zero among them
    ranks = st.rankdata(np.abs(many[many != 0]))
    sums = ((np.arange(2 ** len(ranks))[:, None] >> np.arange(len(ranks))) & 1) @ ranks
    found = ranks[many[many != 0] > 0].sum()
    less, more = np.mean(sums <= found), np.mean(sums >= found)
    row('wilcoxon(%s,method="exact",%s)[1]' % (text(many), o),
        {"two-sided": min(1, 2 * min(less, more)), "less": less, "greater": more}[alternative])
    for a, b in ((x, z), (ties, other), (long[:45], long2), (x[:2], z[:2]), (np.arange(40.0), np.arange(40.0)),
                 (np.arange(40.0), -np.arange(40.0)), (np.arange(36.0), np.r_[1, 0, np.arange(2, 36.0)])):
        test("kendalltau(%s,%s,%s)" % (text(a), text(b), o), st.kendalltau(a, b, **k))
        if len(a) < 20:
            test("pearsonr(%s,%s,%s)" % (text(a), text(b), o), st.pearsonr(a, b, **k))
        if 2 < len(a) < 20:
            test("spearmanr(%s,%s,%s)" % (text(a), text(b), o), st.spearmanr(a, b, **k))
    test("pearsonr(%s,%s,%s)" % (text(long[:45]), text(long[:45] + 0.01 * long2), o), st.pearsonr(long[:45], long[:45] + 0.01 * long2, **k))
    for table in ([[8, 2], [1, 5]], [[3, 1], [1, 3]], [[0, 7], [5, 2]], [[100, 2], [1000, 5]], [[0, 0], [1, 2]], [[190, 800], [200, 900]]):
        test("fisher_exact(%s,%s)" % (text(table), o), st.fisher_exact(table, **k))
test("f_oneway([%s,%s,%s])" % (text(x), text(y), text(z)), st.f_oneway(x, y, z))
test("levene([%s,%s,%s])" % (text(x), text(y), text(z)), st.levene(x, y, z))
test("bartlett_test([%s,%s,%s])" % (text(x), text(y), text(z)), st.bartlett(x, y, z))
test("kruskal([%s,%s])" % (text(ties), text(y)), st.kruskal(ties, y))
test("friedman([%s,%s,%s])" % (text(x), text(z), text(ties)), st.friedmanchisquare(x, z, ties))
test("friedman([%s,%s,%s,%s])" % (text(ties), text(other), text(ties[::-1]), text(np.sort(other))), st.friedmanchisquare(ties, other, ties[::-1], np.sort(other)))
for a in (x, z, ties, x[:3], x[:4], z[:5], z[:6], z[:11], long, x[:5] ** 5):
    test("shapiro(%s)" % text(a), st.shapiro(a), 1e-6)
many = np.round(rng.uniform(size=9) ** 2, 4)
row('adjust_p(%s,"bh")' % text(many), st.false_discovery_control(many))
row('adjust_p(%s,"by")' % text(many), st.false_discovery_control(many, method="by"))
row('adjust_p(%s,"bonferroni")' % text(many), np.minimum(1, many * 9))
order = np.argsort(many)
holm = np.empty(9)
holm[order] = np.minimum(1, np.maximum.accumulate(many[order] * (9 - np.arange(9))))
row('adjust_p(%s,"holm")' % text(many), holm)
test("jarque_bera(%s)" % text(z), st.jarque_bera(z))
test("chisquare([16,18,16,14,12,12])", st.chisquare([16, 18, 16, 14, 12, 12]))
test("chisquare([16,18,16,14,12,12],[16,16,16,16,16,8],ddof=1)", st.chisquare([16, 18, 16, 14, 12, 12], [16, 16, 16, 16, 16, 8], ddof=1))
for table in ([[10, 10, 20], [20, 20, 20]], [[12, 5], [3, 9]], [[7, 7], [7, 8]]):
    for correction in (True, False):
        test("chi2_contingency(%s,%s)" % (text(table), str(correction).lower()), st.chi2_contingency(table, correction))
for a in (x, z, long):
    row("anderson(%s)[0]" % text(a), st.anderson(a).statistic)
for n, shift in ((200, 0.03), (200, 0.1), (300, 0.05), (1000, 0.02), (1000, 0.045)):  # a sample whose greatest distance is shift + 1/2n
    d = shift + 0.5 / n
    row('kstest(clip((arange(%d)+0.5)/%d-%g,0,1),"uniform")[1]' % (n, n, shift), 1 - ks._kolmogn_Pomeranz(n, d), 1e-9)
for n, h in ((500, 30), (1200, 60), (1200, 100)):
    a = np.arange(n)
    for k, alternative in enumerate(("two-sided", "greater")):
        exact = (2 if k == 0 else 1) * sum((-1) ** (j - 1) * Fraction(comb(2 * n, n - j * h), comb(2 * n, n)) for j in range(1, n // h + 1 if k == 0 else 2))
        row('ks_2samp(arange(%d),arange(%d)+%g,alternative="%s")[1]' % (n, n, h - 0.5, alternative), float(exact))
u = np.round(rng.uniform(size=25), 4)
s = np.sort(u)
i = np.arange(1, 26)
row('anderson_of(%s,"uniform")[0]' % text(u), -25 - np.mean((2 * i - 1) * (np.log(s) + np.log1p(-s[::-1]))))
# p far out, and samples of hardly any elements
apart = long + 2 * np.arange(60)
for alternative in ("two-sided", "less", "greater"):
    o = 'alternative="%s"' % alternative
    k = {"alternative": alternative}
    for equal in (True, False):
        test("ttest_ind(%s,%s,%s,equal_var=%s)" % (text(long), text(long2 + 9), o, str(equal).lower()), st.ttest_ind(long, long2 + 9, equal_var=equal, **k))
    test("ttest_1samp(%s,12,%s)" % (text(long), o), st.ttest_1samp(long, 12, **k))
    test("ttest_rel(%s,%s,%s)" % (text(long), text(apart), o), st.ttest_rel(long, apart, **k))
    test("pearsonr(%s,%s,%s)" % (text(np.arange(60.0)), text(apart), o), st.pearsonr(np.arange(60.0), apart, **k))
    test("spearmanr(%s,%s,%s)" % (text(np.arange(60.0)), text(apart), o), st.spearmanr(np.arange(60.0), apart, **k))
    test("fisher_exact([[300,2],[4,280]],%s)" % o, st.fisher_exact([[300, 2], [4, 280]], **k), 1e-8)
    test("ttest_ind([1.0,1.0],[5.0,5.0,5.0],%s,equal_var=false)" % o, st.ttest_ind([1, 1], [5, 5, 5], equal_var=False, **k))
    for b in ([1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 2.0]):
        test("spearmanr([1.0,2.0,3.0],%s,%s)" % (text(b), o), st.spearmanr([1.0, 2, 3], b, **k))
    for a in ([1.0], [1.0, 1.0], [2.0, 1.0], [0.0, -1.0, 1.0], [5.0, 5.0, 5.0, 5.0]):
        test("wilcoxon(%s,%s)" % (text(a), o), st.wilcoxon(a, **k))
        for b in ([1.0], [1.0, 2.0], [3.0, 3.0, 3.0]):
            test("mannwhitneyu(%s,%s,%s)" % (text(a), text(b), o), st.mannwhitneyu(a, b, **k))
            test("ks_2samp(%s,%s,%s)" % (text(a), text(b), o), st.ks_2samp(a, b, **k))
for groups in ([[1.0], [2.0]], [[1.0], [1.0], [7.0]], [[3.0], [1.0], [2.0], [5.0]], [[1.0], [2.0, 3.0]], [[4.0], [4.0]]):
    test("kruskal([%s])" % ",".join(map(text, groups)), st.kruskal(*groups))
test("kruskal([%s,%s,%s])" % (text(long), text(long + 30), text(long - 30)), st.kruskal(long, long + 30, long - 30))
test("f_oneway([%s,%s])" % (text(long), text(long + 30)), st.f_oneway(long, long + 30))
row("f_oneway([[1.0],[1e-8,2e-8,3e-8]])[0]", float(Fraction(3, 4) * (1 - (Fraction(1e-8) + Fraction(2e-8) + Fraction(3e-8)) / 3) ** 2
    / (sum((Fraction(v) - (Fraction(1e-8) + Fraction(2e-8) + Fraction(3e-8)) / 3) ** 2 for v in (1e-8, 2e-8, 3e-8)) / 2)))
test("levene([%s,%s])" % (text(long), text(long * 1000)), st.levene(long, long * 1000))
test("bartlett_test([%s,%s])" % (text(long), text(long * 1000)), st.bartlett(long, long * 1000))
test("chisquare([900,100,4])", st.chisquare([900, 100, 4]))
test("chi2_contingency([[500,1],[1,500]],true)", st.chi2_contingency([[500, 1], [1, 500]], True))
# the last samples whose p is exact, and the first whose p is not
wide, wide2 = np.round(rng.normal(size=170), 5), np.round(rng.normal(size=170), 5)
for alternative in ("two-sided", "less", "greater"):
    o = 'alternative="%s"' % alternative
    k = {"alternative": alternative}
    for n in (33, 34):
        test("kendalltau(%s,%s,%s)" % (text(wide[:n]), text(wide2[:n]), o), st.kendalltau(wide[:n], wide2[:n], **k))
    test('kendalltau(%s,%s,method="exact",%s)' % (text(wide), text(wide2), o), st.kendalltau(wide, wide2, method="exact", **k))
    for n in (8, 9):
        for a, b in ((wide[:n], wide2[:40]), (wide[:40], wide2[:n])):
            test("mannwhitneyu(%s,%s,%s)" % (text(a), text(b), o), st.mannwhitneyu(a, b, **k))
    for n in (50, 51):
        test("wilcoxon(%s,%s)" % (text(wide[:n]), o), st.wilcoxon(wide[:n], **k))
print('/* Made by scipy_tests.py with SciPy: SCIPY("expression", digits, numbers). */')
print("\n".join(rows))
print("#undef SCIPY")
