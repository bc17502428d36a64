using System.Reflection;
using Xunit.v3;

namespace NativeThreading.Tests.Support;

/// <summary>
/// After every test: no pool has lost a request (T5). Soak tests, some of which lose requests on purpose, look at their
/// pools themselves.
/// </summary>
[AttributeUsage(AttributeTargets.Assembly)]
public sealed class NoLostRequestsAttribute : BeforeAfterTestAttribute
{
    private const string Repaired = "LostRequestRepaired";

    private static readonly EventLog s_log = new();

    // One for all tests: they run one after the other.
    private int _before;

    public override void Before(MethodInfo methodUnderTest, IXunitTest test) => _before = s_log.Of(Repaired).Count;

    public override void After(MethodInfo methodUnderTest, IXunitTest test)
    {
        if (!typeof(SoakTest).IsAssignableFrom(test?.TestCase.TestClass.Class))
        {
            Assert.Empty(s_log.Of(Repaired).Skip(_before).Select(repair => string.Join(", ", repair.Payload!)));
        }
    }
}
