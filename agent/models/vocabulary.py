"""Vocabulary: words of questions that say nothing of what is asked about, in Chinese and English.

Function words and everyday words of the two languages, as any grammar or frequency list has them;
none is of a subject.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILLERS = re.compile(
    "到底|究竟|其实|好像|怎么回事|是什么|有什么|为什么|什么|怎么样|怎么办|怎么|怎样|如何|"
    "为何|为啥|有哪些|哪些|"
    "哪[一二三四五六七八九十几两]?(?:个方面|部分|方面|[个种类条点项步层级部方维])?|哪里|"
    "哪儿|多少|几[种个类]|多久|多大|多长|是不是|能不能|可不可以|有没有|一回事|各自|分别|"
    "各是|干什么|干嘛|用来|之间|以及|应该|一般|通常|主要|具体|关于|对于|时候|情况下|比较|"
    "说明|请问|我们|你们|他们|大家|自己|这种|那种|这个|那个|一个|一种|可以|需要|必须|"
    "有关|之后|以后|之前|以前|最近|一次|您好|你好|想?请教一下|谢谢|麻烦|解释|介绍|告诉|"
    "帮忙|[谁几吗呢吧啊呀嘛了的地得是和与跟及或您我你他她它]"
)
"""What a question is asked with, and not about. It parts the phrases of a question."""

LIGHT = frozenset(
    "一上下不且个中为么也于些从以会但做先其再出到前去又叫各后在对将就已并很想所才把更"
    "最有来样此没用由着种算给而能被要让该说起过还这那都里问"
)
"""Characters that mostly join: they carry little of a term's meaning at its ends."""

CUES = _words(
    """
    工作 运作 运行
    区别 差别 差异 不同 不一样 对比 相比 关系 原因 理由 意思 含义 定义 概念 作用 特点 优点 缺点
    原理 适合 好处 方式 方法 步骤 类型 种类 情况 问题 例子 本质 核心 合适 好在 差在 放在 理解
    来看 看待 维度 方面 要素 角度 层面 部分
    """
)
"""Words that say what kind of answer is wanted: they need not stand in the answer."""

EVERYDAY = _words(
    """
    公司 团队 国家 地方 东西 事情 时间 时期 时代 现在 目前 如今 过程 结果 部分 方面 内容 名字
    名称 开始 结束 出现 发生 产生 存在 进行 使用 采用 得到 获得 取得 成为 作为 认为 觉得 知道
    看到 发现 表示 代表 包含 包括 属于 构成 组成 经历 决定 影响 保持 保证 实现 设置 选择 考虑
    注意 注重 追求 超过 达到 导致 引起 造成 带来 付出 牺牲 降低 提高 增加 减少 改变 解决 处理
    完成 打算 想要 希望 愿意 允许 能够 可能 是否 首先 其次 最后 最早 整个 全部 所有 任何 每个
    某个 别的 其他 另外 同样 一样 特别 非常 更加 直接 间接 根据 通过 按照 依靠 背后 反而 其中
    具有 拥有 起到 面对 面临 涉及 关注 强调 体现 反映 描述 看作 当作 变成 放到 用到 做到 想到
    说到 常见 典型 重要 关键 基本 简单 复杂 明显 真正 实际 正确 合理 容易 困难 负责 职责 责任
    任务 目标 目的 要求 需求 条件 标准 角度 层面 环节 阶段 做法 办法 思路 建议 看法 取舍 利弊
    好坏 优势 劣势 效果 价值 意义 代价 成本 风险 范围 程度 数量 大小 多少 顺序 经常 往往 总是
    一直 已经 正在 刚刚 马上 立刻 突然 偶尔 差不多 大概 左右 不能 不会 不用 不要 不该 没法 没人
    打交道 怎么会 为止 除了 之外 来说 而言
    """
)
"""Everyday words. A note that answers may well put them otherwise, so they count for little."""

ENGLISH_STOP = _words(
    """
    a about an and any are as at be been before after but by can could did do does doing each
    for from get got had has have how i if in into is it its make made may me mean means must my
    no not of on once one only or please should so some take tell than that the their them then
    there these they thing things this those to under up us use used uses using was way we were
    what when where which while who whose why will with would yes you your
    """
)
"""English words that join or ask."""

ENGLISH_CUES = _words(
    """
    between compare compared comparison define definition differ difference differences
    different example explain idea kind kinds meaning point purpose reason reasons role versus
    vs work works
    """
)
"""As `CUES`, in English."""
